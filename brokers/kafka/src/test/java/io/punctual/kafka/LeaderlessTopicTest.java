package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Tests topics whose partitions, or some of them, are on a broker that is away. */
@Tag("extended")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class LeaderlessTopicTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int MESSAGES = 20;

  private static KafkaBroker broker;
  private static KafkaBroker away;

  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<byte[]> queue = punctual.queue("reminders", Codec.bytes());

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start();
    away = broker.startSecond();
    broker.createTopicOn("good", 1);
    broker.createTopicOn("lost", 2);
    broker.createTopicOn("half", 1, 2);
  }

  @AfterAll
  static void stop() {
    away.close();
    broker.close();
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  /** Starts a bridge that would wait ten minutes for a confirmation. */
  private KafkaBridge bridge() {
    return KafkaBridge.builder(queue, broker.properties())
        .topic(delivery -> delivery.headers().getOrDefault("to", "good"))
        .confirmTimeout(Duration.ofMinutes(10))
        .start();
  }

  private void schedule(String prefix, String topic, int count) {
    Instant due = Instant.now().minusSeconds(60);
    for (int i = 0; i < count; i++) {
      queue.schedule(Message.of(new byte[1]).id(prefix + i).header("to", topic).dueAt(due));
    }
  }

  private boolean isGone(String prefix) {
    for (int i = 0; i < MESSAGES; i++) {
      if (queue.find(prefix + i).isPresent()) {
        return false;
      }
    }
    return true;
  }

  @Test
  @Order(1)
  void leaderGoesWhileTheBridgeRuns_messagesOfOtherTopicsAreSent() throws Exception {
    try (KafkaBridge bridge = bridge()) {
      schedule("before", "lost", MESSAGES);
      await().atMost(PATIENCE).until(() -> isGone("before"));
      away.kill();
      schedule("x", "lost", MESSAGES);
      schedule("m", "good", MESSAGES);
      await().atMost(PATIENCE).until(() -> isGone("m"));
      schedule("n", "good", MESSAGES);
      await().atMost(PATIENCE).until(() -> isGone("n"));
      assertThat(queue.counts().pending()).isEqualTo(MESSAGES);
      assertThat(bridge.stats().failed()).isZero();
      bridge.close(Duration.ofMillis(100));
    }
  }

  @Test
  @Order(2)
  void leaderIsAway_messagesOfOtherTopicsAndPartitionsAreSent() throws Exception {
    await().atMost(PATIENCE).until(() -> broker.withoutLeader("half") == 1);
    schedule("x", "lost", MESSAGES);
    schedule("h", "half", MESSAGES);
    schedule("m", "good", MESSAGES);
    try (KafkaBridge bridge = bridge()) {
      await().atMost(PATIENCE).until(() -> isGone("m"));
      await().atMost(PATIENCE).until(() -> queue.counts().pending() < 2 * MESSAGES);
      assertThat(queue.find("x0")).isPresent();
      assertThat(bridge.stats().failed()).isZero();
      assertThat(bridge.isAvailable()).isTrue();

      away.restart();
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
    }
  }
}
