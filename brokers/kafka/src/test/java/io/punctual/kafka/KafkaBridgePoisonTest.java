package io.punctual.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.StoredMessage;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests messages that can't be sent or settled, among other messages of a batch. */
class KafkaBridgePoisonTest extends KafkaTestBase {
  private static final int MESSAGES = 20;
  private static final WorkerOptions TWICE =
      WorkerOptions.builder()
          .concurrency(1)
          .batchSize(500)
          .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(200)).maxAttempts(2))
          .build();

  private static void throwUnchecked(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  /** A partitioner that fails for the key {@code poison}. */
  public static class PickyPartitioner implements Partitioner {
    Throwable failure() {
      return new IllegalArgumentException("A planned failure");
    }

    @Override
    public int partition(
        String topic,
        Object key,
        byte[] keyBytes,
        Object value,
        byte[] valueBytes,
        Cluster cluster) {
      if (new String(keyBytes, UTF_8).equals("poison")) {
        throwUnchecked(failure());
      }
      return 0;
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  /** A partitioner that throws the exception that Kafka's client throws when it is closed. */
  public static final class IllegalStatePartitioner extends PickyPartitioner {
    @Override
    Throwable failure() {
      return new IllegalStateException("A planned failure");
    }
  }

  /** A partitioner that throws an error. */
  public static final class ErrorPartitioner extends PickyPartitioner {
    @Override
    Throwable failure() {
      return new StackOverflowError("A planned failure");
    }
  }

  /** A partitioner that lacks a class, as the client may lack that of a compression. */
  public static final class LinkagePartitioner extends PickyPartitioner {
    @Override
    Throwable failure() {
      return new NoClassDefFoundError("A planned failure");
    }
  }

  /** A partitioner that finds no memory. */
  public static final class NoMemoryPartitioner extends PickyPartitioner {
    @Override
    Throwable failure() {
      return new OutOfMemoryError("A planned failure");
    }
  }

  /** Schedules the poison as the first message of a batch. */
  private void schedule() {
    Instant due = Instant.now().minusSeconds(60);
    queue.schedule(Message.of(new byte[1]).id("poison").dueAt(due));
    for (int i = 0; i < MESSAGES; i++) {
      queue.schedule(Message.of(new byte[1]).id("m" + i).dueAt(due.plusMillis(1 + i)));
    }
  }

  private static Map<String, Integer> counts(List<ConsumerRecord<byte[], byte[]>> records) {
    Map<String, Integer> counts = new HashMap<>();
    records.forEach(each -> counts.merge(new String(each.key(), UTF_8), 1, Integer::sum));
    return counts;
  }

  @Test
  void functionOfTheKeySettlesAMessage_otherMessagesOfItsBatch_areSentOnce() throws Exception {
    broker.createTopic("settled", 1, Map.of());
    schedule();
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, broker.properties())
            .topic("settled")
            .key(KafkaBridgePoisonTest::buryPoison)
            .workerOptions(TWICE)
            .start()) {
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.stats().failed()).isZero();
    }
    Map<String, Integer> counts = counts(broker.records("settled"));
    assertThat(counts).hasSize(MESSAGES + 1);
    assertThat(counts.values()).containsOnly(1);
    assertThat(queue.find("poison").orElseThrow().reason()).contains("by a function");
  }

  private static byte[] buryPoison(Delivery<byte[]> delivery) {
    if (delivery.id().equals("poison")) {
      CompletionStage<SettleOutcome> unused = delivery.async().bury("by a function");
    }
    return delivery.id().getBytes(UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {PickyPartitioner.class, IllegalStatePartitioner.class, ErrorPartitioner.class})
  void partitionerThrows_onlyThatMessageFails(Class<? extends PickyPartitioner> partitioner)
      throws Exception {
    String exception =
        partitioner.getDeclaredConstructor().newInstance().failure().getClass().getSimpleName();
    String topic = "partitioned-" + partitioner.getSimpleName();
    broker.createTopic(topic, 1, Map.of());
    schedule();
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("partitioner.class", partitioner.getName());
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties).topic(topic).workerOptions(TWICE).start()) {
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.isAvailable()).isTrue();
    }
    Map<String, Integer> counts = counts(broker.records(topic));
    assertThat(counts).hasSize(MESSAGES).doesNotContainKey("poison");
    assertThat(counts.values()).containsOnly(1);
    assertThat(queue.find("poison").orElseThrow().reason().orElseThrow())
        .contains("RefusedException", exception, "A planned failure");
  }

  @ParameterizedTest
  @ValueSource(classes = {StackOverflowError.class, OutOfMemoryError.class, LinkageError.class})
  void functionOfTheKeyThrowsAnError_onlyThatMessageFails(Class<? extends Error> error)
      throws Exception {
    String topic = "keyed-" + error.getSimpleName();
    Error failure = error.getConstructor(String.class).newInstance("A planned failure");
    broker.createTopic(topic, 1, Map.of());
    schedule();
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, broker.properties())
            .topic(topic)
            .key(delivery -> failAtPoison(delivery, failure))
            .workerOptions(TWICE)
            .start()) {
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.isAvailable()).isTrue();
    }
    Map<String, Integer> counts = counts(broker.records(topic));
    assertThat(counts).hasSize(MESSAGES).doesNotContainKey("poison");
    assertThat(counts.values()).containsOnly(1);
    assertThat(queue.find("poison").orElseThrow().reason().orElseThrow())
        .contains("RefusedException", error.getSimpleName());
  }

  private static byte[] failAtPoison(Delivery<byte[]> delivery, Error failure) {
    if (delivery.id().equals("poison")) {
      throw failure;
    }
    return delivery.id().getBytes(UTF_8);
  }

  @ParameterizedTest
  @ValueSource(classes = {NoMemoryPartitioner.class, LinkagePartitioner.class})
  void sendFindsNoMemoryOrLacksAClass_noAttemptCounts(Class<?> partitioner) throws Exception {
    String topic = "no-attempt-" + partitioner.getSimpleName();
    broker.createTopic(topic, 1, Map.of());
    schedule();
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("partitioner.class", partitioner.getName());
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties).topic(topic).workerOptions(TWICE).start()) {
      await().atMost(PATIENCE).until(() -> bridge.stats().failed() > 0 || !bridge.isAvailable());
      assertThat(bridge.stats().failed()).isZero();
    }
    assertThat(queue.counts().dead()).isZero();
    assertThat(queue.find("poison").orElseThrow().failures()).isEmpty();
  }

  /** Schedules messages for topics that do not exist, then messages for a topic. */
  private void scheduleMissing(String prefix, int missing, int good) {
    Instant due = Instant.now().minusSeconds(60);
    for (int i = 0; i < missing; i++) {
      queue.schedule(Message.of(new byte[1]).id("x" + i).header("to", prefix + i).dueAt(due));
    }
    for (int i = 0; i < good; i++) {
      queue.schedule(Message.of(new byte[1]).id("m" + i).dueAt(due.plusMillis(1 + i)));
    }
  }

  private KafkaBridge.Builder byHeader(String topic, int blockMillis) {
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("max.block.ms", blockMillis);
    return KafkaBridge.builder(queue, properties)
        .topic(delivery -> delivery.headers().getOrDefault("to", topic))
        .workerOptions(TWICE);
  }

  @Test
  void tenTopicsAreMissing_otherMessagesAreSentBeforeTheirLookUpEnds() throws Exception {
    broker.createTopic("beside-missing", 1, Map.of());
    scheduleMissing("gone-", 10, MESSAGES);
    // A message that waited for the look-up of a missing topic would wait for five minutes.
    try (KafkaBridge bridge = byHeader("beside-missing", 300_000).start()) {
      await().atMost(PATIENCE).until(() -> queue.find("m" + (MESSAGES - 1)).isEmpty());
      assertThat(bridge.stats().failed()).isZero();
      assertThat(queue.counts().pending()).isEqualTo(10);
      assertThat(bridge.isAvailable()).isTrue();
      bridge.close(Duration.ofMillis(100));
    }
    assertThat(counts(broker.records("beside-missing"))).hasSize(MESSAGES);
  }

  @Test
  void tenTopicsAreMissing_eachMessageFailsByThePolicyWithItsTopic() throws Exception {
    broker.createTopic("beside-failed", 1, Map.of());
    scheduleMissing("lost-", 10, MESSAGES);
    try (KafkaBridge bridge = byHeader("beside-failed", 300).start()) {
      await().atMost(PATIENCE).until(() -> queue.counts().dead() == 10);
      assertThat(bridge.isAvailable()).isTrue();
    }
    for (int i = 0; i < 10; i++) {
      StoredMessage<byte[]> dead = queue.find("x" + i).orElseThrow();
      assertThat(dead.attempts()).isEqualTo(2);
      assertThat(dead.reason().orElseThrow())
          .contains("UnknownTopicOrPartition", "'lost-" + i + "'");
    }
    assertThat(counts(broker.records("beside-failed"))).hasSize(MESSAGES);
    assertThat(counts(broker.records("beside-failed")).values()).containsOnly(1);
  }

  @Test
  void topicIsCreatedLater_itsMessageIsSent() throws Exception {
    broker.createTopic("beside-late", 1, Map.of());
    scheduleMissing("late-", 1, 1);
    try (KafkaBridge bridge = byHeader("beside-late", 300_000).start()) {
      await().atMost(PATIENCE).until(() -> queue.find("m0").isEmpty());
      broker.createTopic("late-0", 1, Map.of());
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.stats().failed()).isZero();
    }
    assertThat(counts(broker.records("late-0"))).containsOnlyKeys("x0");
  }
}
