package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
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

  /** Runs a task when Kafka has confirmed a record. */
  public static final class OnConfirmation implements ProducerInterceptor<byte[], byte[]> {
    private static final AtomicReference<Runnable> TASK = new AtomicReference<>(() -> {});

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> sent) {
      return sent;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
      if (failure == null) {
        TASK.get().run();
      }
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> settings) {}
  }

  private static boolean isAskingForLeaders() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Stream::of)
        .anyMatch(frame -> frame.getMethodName().equals("deferUnled"));
  }

  @Test
  @Order(3)
  void interruptDuringTheQuestionForLeaders_confirmedMessageIsAcked() throws Exception {
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("interceptor.classes", OnConfirmation.class.getName());
    Instant due = Instant.now().minusSeconds(60);
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic(delivery -> delivery.headers().getOrDefault("to", "good"))
            .confirmTimeout(Duration.ofMillis(1500))
            .start()) {
      schedule("w", "good", MESSAGES);
      schedule("v", "lost", MESSAGES);
      await().atMost(PATIENCE).until(() -> isGone("w") && isGone("v"));

      away.kill();
      OnConfirmation.TASK.set(broker::kill);
      queue.scheduleAll(
          List.of(
              Message.of(new byte[1]).id("m").header("to", "good").dueAt(due),
              Message.of(new byte[1]).id("x").header("to", "lost").dueAt(due)));

      // The question begins after a second, and Kafka can't answer it.
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .during(Duration.ofMillis(1700))
          .until(LeaderlessTopicTest::isAskingForLeaders);
      bridge.close(Duration.ZERO);
    }
    assertThat(queue.find("x")).isPresent();
    assertThat(queue.find("m")).isEmpty();
  }
}
