package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests an intake in a process whose heap is smaller than the messages that the prefetch allows. An
 * intake that runs out of memory loses its connection again and again, and RabbitMQ then delivers
 * messages again that the store has.
 */
@Tag("extended")
final class IntakeHeapTest {
  private static final int MESSAGES = 700;
  private static final int HOUR = 3_600_000;

  @TempDir private Path folder;

  @Test
  void messagesExceedTheHeap_eachIsStoredOnce() throws Exception {
    RabbitBroker broker = RabbitBroker.shared();
    Path journal = folder.resolve("journal");
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      // The first process declares the exchange.
      IntakeProcess.start(broker, journal, "heap").close();
      channel.confirmSelect();
      byte[] body = new byte[900_000];
      for (int i = 0; i < MESSAGES; i++) {
        channel.basicPublish(
            "heap",
            "key",
            IntakeFixture.delayed(HOUR).headers(Map.of("x-delay", HOUR)).build(),
            body);
        channel.waitForConfirmsOrDie(60_000);
      }
      try (IntakeProcess intake =
          IntakeProcess.start(broker, journal, "heap", Integer.toString(MESSAGES))) {
        intake.awaitDone();
      }
      assertThat(channel.messageCount("heap.intake")).isZero();
    }
    try (Punctual punctual = Punctual.open("journal:" + journal)) {
      assertThat(punctual.queue("delayed", Codec.bytes()).counts().pending()).isEqualTo(MESSAGES);
    }
  }
}
