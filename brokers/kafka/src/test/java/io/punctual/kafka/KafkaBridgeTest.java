package io.punctual.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.process.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Tests bridges to a real broker. Each test has topics of its own. */
class KafkaBridgeTest extends KafkaTestBase {
  private static String topic(TestInfo test) throws Exception {
    String name = test.getTestMethod().orElseThrow().getName();
    broker.createTopic(name, 3, Map.of());
    return name;
  }

  private KafkaBridge.Builder bridge(String topic) {
    return KafkaBridge.builder(queue, broker.properties()).topic(topic);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String header(ConsumerRecord<byte[], byte[]> message, String name) {
    return new String(message.headers().lastHeader(name).value(), UTF_8);
  }

  private static Set<String> ids(List<ConsumerRecord<byte[], byte[]>> records) {
    Set<String> ids = new HashSet<>();
    records.forEach(one -> ids.add(header(one, KafkaBridge.ID_HEADER)));
    return ids;
  }

  private static Set<String> expected(int messages) {
    Set<String> ids = new HashSet<>();
    IntStream.range(0, messages).forEach(i -> ids.add("m" + i));
    return ids;
  }

  private void schedule(int from, int to) {
    queue.scheduleAll(
        IntStream.range(from, to)
            .mapToObj(i -> Message.of(bytes("payload " + i)).id("m" + i).dueIn(Duration.ZERO))
            .toList());
  }

  private void awaitEmpty() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Counts counts = queue.counts();
              assertThat(counts.scheduled() + counts.ready() + counts.leased()).isZero();
            });
  }

  @Test
  void dueMessage_isARecordWithItsKeyHeadersAndPayload(TestInfo test) throws Exception {
    String topic = topic(test);
    Instant due = Instant.now().minusSeconds(5).truncatedTo(java.time.temporal.ChronoUnit.MILLIS);
    queue.schedule(
        Message.of(new byte[] {0, 1, -1}).id("größe-1").dueAt(due).header("tenant", "ü"));
    try (KafkaBridge bridge = bridge(topic).start()) {
      awaitEmpty();
      assertThat(bridge.isAvailable()).isTrue();
    }
    ConsumerRecord<byte[], byte[]> sent = broker.records(topic).get(0);
    assertThat(sent.value()).containsExactly(0, 1, -1);
    assertThat(new String(sent.key(), UTF_8)).isEqualTo("größe-1");
    assertThat(header(sent, KafkaBridge.ID_HEADER)).isEqualTo("größe-1");
    assertThat(header(sent, KafkaBridge.ATTEMPT_HEADER)).isEqualTo("1");
    assertThat(header(sent, KafkaBridge.DUE_HEADER)).isEqualTo(Long.toString(due.toEpochMilli()));
    assertThat(header(sent, "tenant")).isEqualTo("ü");
  }

  @Test
  void manyMessages_areSentInBatchesOnceAndInOrder(TestInfo test) throws Exception {
    String topic = topic(test);
    int messages = 20_000;
    Instant start = Instant.now().minusSeconds(60);
    for (int from = 0; from < messages; from += 1000) {
      queue.scheduleAll(
          IntStream.range(from, from + 1000)
              .mapToObj(i -> Message.of(bytes("" + i)).id("m" + i).dueAt(start.plusMillis(i)))
              .toList());
    }
    try (KafkaBridge bridge = bridge(topic).key(one -> bytes(one.id().substring(0, 2))).start()) {
      awaitEmpty();
    }
    List<ConsumerRecord<byte[], byte[]>> records = broker.records(topic);
    assertThat(records).hasSize(messages);
    assertThat(ids(records)).isEqualTo(expected(messages));
    Map<Integer, Integer> last = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> one : records) {
      int number = Integer.parseInt(new String(one.value(), UTF_8));
      assertThat(number).isGreaterThan(last.getOrDefault(one.partition(), -1));
      last.put(one.partition(), number);
    }
  }

  @Test
  void topicAndKeyByFunctions_areUsed(TestInfo test) throws Exception {
    String topic = topic(test);
    broker.createTopic("other", 1, Map.of());
    queue.schedule(Message.of(bytes("1")).id("a").header("to", topic).dueIn(Duration.ZERO));
    queue.schedule(Message.of(bytes("2")).id("b").header("to", "other").dueIn(Duration.ZERO));
    queue.schedule(Message.of(bytes("3")).id("c").dueIn(Duration.ZERO));
    WorkerOptions once = WorkerOptions.builder().retryPolicy(RetryPolicy.never()).build();
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, broker.properties())
            .topic(delivery -> delivery.headers().get("to"))
            .key(delivery -> null)
            .workerOptions(once)
            .start()) {
      awaitEmpty();
    }
    assertThat(ids(broker.records(topic))).containsExactly("a");
    assertThat(ids(broker.records("other"))).containsExactly("b");
    assertThat(broker.records("other").get(0).key()).isNull();
    StoredMessage<byte[]> dead = queue.find("c").orElseThrow();
    assertThat(dead.reason().orElseThrow()).contains("RefusedException", "no topic");
  }

  @Test
  void recordTooLarge_isBuriedWithItsReason_othersAreSent(TestInfo test) throws Exception {
    String topic = topic(test);
    broker.createTopic("small-records", 1, Map.of("max.message.bytes", "1000"));
    schedule(0, 50);
    queue.schedule(Message.of(new byte[1_040_000]).id("client").dueIn(Duration.ZERO));
    queue.schedule(
        Message.of(new byte[5000]).id("server").header("small", "1").dueIn(Duration.ZERO));
    schedule(50, 100);
    WorkerOptions options =
        WorkerOptions.builder()
            .batchSize(500)
            .concurrency(1)
            .retryPolicy(
                RetryPolicy.DEFAULT.forFailure(RefusedException.class, RetryPolicy.never()))
            .build();
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("max.request.size", 1_000_000);
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic(one -> one.headers().containsKey("small") ? "small-records" : topic)
            .workerOptions(options)
            .start()) {
      awaitEmpty();
    }
    assertThat(ids(broker.records(topic))).isEqualTo(expected(100));
    assertThat(broker.records(topic)).hasSize(100);
    assertThat(broker.records("small-records")).isEmpty();
    for (String id : List.of("client", "server")) {
      StoredMessage<byte[]> dead = queue.find(id).orElseThrow();
      assertThat(dead.attempts()).isEqualTo(1);
      assertThat(dead.reason().orElseThrow()).contains("RecordTooLargeException", "topic");
    }
  }

  @Test
  void missingTopic_failsByThePolicy_othersAreSent(TestInfo test) throws Exception {
    String topic = topic(test);
    schedule(0, 20);
    for (int i = 0; i < 20; i++) {
      queue.schedule(
          Message.of(bytes("x")).id("x" + i).header("to", "no-topic").dueIn(Duration.ZERO));
    }
    RetryPolicy twice = RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2);
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("max.block.ms", 300);
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic(one -> one.headers().getOrDefault("to", topic))
            .workerOptions(WorkerOptions.builder().concurrency(1).retryPolicy(twice).build())
            .start()) {
      awaitEmpty();
    }
    assertThat(ids(broker.records(topic))).isEqualTo(expected(20));
    assertThat(broker.records(topic)).hasSize(20);
    assertThat(queue.counts().dead()).isEqualTo(20);
    StoredMessage<byte[]> dead = queue.find("x7").orElseThrow();
    assertThat(dead.attempts()).isEqualTo(2);
    assertThat(dead.reason().orElseThrow()).contains("UnknownTopicOrPartition", "no-topic");
  }

  @Test
  void recordRefusedByKafka_othersOfItsRequest_areSentWithoutAnOutage() throws Exception {
    // For a compacted topic, Kafka refuses a record without a key, together with all other records
    // of the request for that partition.
    broker.createTopic("compacted", 1, Map.of("cleanup.policy", "compact"));
    schedule(0, 100);
    WorkerOptions once =
        WorkerOptions.builder().concurrency(1).retryPolicy(RetryPolicy.never()).build();
    boolean wasAway = false;
    try (KafkaBridge bridge =
        bridge("compacted")
            .key(one -> one.id().equals("m50") ? null : bytes(one.id()))
            .workerOptions(once)
            .start()) {
      while (queue.counts().pending() > 0) {
        wasAway |= !bridge.isAvailable();
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      }
    }
    assertThat(wasAway).isFalse();
    Set<String> others = expected(100);
    others.remove("m50");
    assertThat(ids(broker.records("compacted"))).isEqualTo(others);
    assertThat(broker.records("compacted")).hasSize(99);
    assertThat(queue.find("m50").orElseThrow().reason().orElseThrow())
        .contains("InvalidRecordException");
  }

  @Test
  @Tag("extended")
  void manyMissingTopics_holdUpABatch_confirmedRecordIsNotSentAgain(TestInfo test)
      throws Exception {
    String topic = topic(test);
    Instant now = Instant.now().minusSeconds(60);
    for (int i = 0; i < 11; i++) {
      queue.schedule(
          Message.of(bytes("x")).id("x" + i).header("to", "missing-" + i).dueAt(now.plusMillis(i)));
    }
    queue.schedule(Message.of(bytes("x")).id("good").header("to", topic).dueAt(now.plusSeconds(1)));
    Map<String, Object> properties = new HashMap<>(broker.properties());
    // All waits together are longer than the time-out and the five seconds that the bridge adds.
    properties.put("max.block.ms", 3_000);
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic(one -> one.headers().get("to"))
            .confirmTimeout(Duration.ofSeconds(20))
            .start()) {
      await().atMost(PATIENCE).until(() -> queue.find("good").isEmpty());
      assertThat(broker.records(topic)).hasSize(1);
      bridge.close(Duration.ofMillis(100));
    }
    assertThat(broker.records(topic)).hasSize(1);
  }

  @Test
  @Tag("extended")
  void brokerKilledAndRestarted_nothingIsLostAndNoAttemptCounts(TestInfo test) throws Exception {
    String topic = topic(test);
    try (KafkaBridge bridge = bridge(topic).confirmTimeout(Duration.ofSeconds(2)).start()) {
      schedule(0, 500);
      await().atMost(PATIENCE).until(() -> broker.records(topic).size() > 200);
      broker.kill();
      try {
        schedule(500, 2000);
        await().atMost(PATIENCE).until(() -> !bridge.isAvailable());
        assertThat(queue.counts().dead()).isZero();
      } finally {
        broker.restart();
      }
      awaitEmpty();
      assertThat(bridge.isAvailable()).isTrue();
    }
    assertThat(queue.counts().dead()).isZero();
    List<ConsumerRecord<byte[], byte[]>> records = broker.records(topic);
    assertThat(ids(records)).isEqualTo(expected(2000));
    assertThat(records).allMatch(one -> header(one, KafkaBridge.ATTEMPT_HEADER).equals("1"));
  }

  @Test
  @Tag("extended")
  void brokerIsAwayFromTheStart_bridgeStartsAndSendsLater(TestInfo test) throws Exception {
    String topic = topic(test);
    schedule(0, 10);
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put("max.block.ms", 500);
    KafkaBridge bridge;
    broker.kill();
    try {
      bridge =
          KafkaBridge.builder(queue, properties)
              .topic(topic)
              .confirmTimeout(Duration.ofSeconds(1))
              .start();
      await().atMost(PATIENCE).until(() -> !bridge.isAvailable());
    } finally {
      broker.restart();
    }
    try (bridge) {
      awaitEmpty();
    }
    assertThat(ids(broker.records(topic))).isEqualTo(expected(10));
    assertThat(queue.counts().dead()).isZero();
  }

  @Test
  void closeDuringAnOutage_messagesReturnToTheQueue(TestInfo test) throws Exception {
    schedule(0, 10);
    // A close that waited for Kafka would take minutes.
    Map<String, Object> properties =
        Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 600_000);
    KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic("t")
            .confirmTimeout(Duration.ofHours(1))
            .start();
    await().atMost(PATIENCE).until(() -> queue.counts().leased() == 10);
    assertThat(CompletableFuture.runAsync(() -> closeTwice(bridge)))
        .succeedsWithin(Duration.ofMinutes(1));
    assertThat(queue.counts().ready()).isEqualTo(10);
    assertThat(queue.find("m3").orElseThrow().attempts()).isZero();
  }

  private static void closeTwice(KafkaBridge bridge) {
    bridge.close(Duration.ofMillis(100));
    bridge.close();
  }

  /** Schedules messages in a journal that no process has open. */
  private static void schedule(String url, int from, int to) {
    try (Punctual journal = Punctual.open(url)) {
      TimedQueue<byte[]> durable = journal.queue("reminders", Codec.bytes());
      durable.scheduleAll(
          IntStream.range(from, to)
              .mapToObj(i -> Message.of(bytes("" + i)).id("m" + i).dueIn(Duration.ZERO))
              .toList());
    }
  }

  @Test
  void processKilled_itsMessagesAreSentByTheNextProcess(TestInfo test, @TempDir Path folder)
      throws Exception {
    String topic = topic(test);
    int messages = 20_000;
    String url = "journal:" + folder;
    for (int kill = 0; kill < 2; kill++) {
      // On a busy machine, a process can send all that it finds before it is killed.
      schedule(url, kill * messages / 2, (kill + 1) * messages / 2);
      try (JavaProcess process = BridgeProcess.start(url, broker.address(), topic)) {
        process.awaitLine(BridgeProcess.SENDING);
        process.kill();
      }
    }
    try (JavaProcess last = BridgeProcess.start(url, broker.address(), topic)) {
      last.expectSuccess();
    }
    List<ConsumerRecord<byte[], byte[]>> records = broker.records(topic);
    assertThat(ids(records)).isEqualTo(expected(messages));
    // A killed process can have sent one batch that it did not ack.
    assertThat(records).hasSizeBetween(messages, messages + 2 * 500);
    records.stream()
        .filter(one -> !header(one, KafkaBridge.ATTEMPT_HEADER).equals("1"))
        .forEach(one -> assertThat(header(one, KafkaBridge.ATTEMPT_HEADER)).isIn("2", "3"));
  }
}
