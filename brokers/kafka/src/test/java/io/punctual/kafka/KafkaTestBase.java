package io.punctual.kafka;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The queue of a test, and the broker that the tests share. Each test has topics of its own. */
abstract class KafkaTestBase {
  static final Duration PATIENCE = Duration.ofMinutes(3);

  static KafkaBroker broker;

  final Punctual punctual = Punctual.open("memory:");
  final TimedQueue<byte[]> queue = punctual.queue("reminders", Codec.bytes());

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SharedKafkaBroker.get();
  }

  @AfterEach
  void close() {
    punctual.close();
  }
}
