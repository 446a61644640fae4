package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.ScheduleOutcome;
import io.punctual.TimedQueue;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests queues whose key {@code meta} a foreign program has removed from a partition: with the
 * number of partitions, the pause and the limits of the queue.
 */
final class LostMetaTest {
  private static final String META = "{punctual:q:0}:meta";

  private RedisProcess redis;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
  }

  @Test
  void partitionWithLostMeta_isNotDeletedWithItsMessages() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string(), 3);
      queue.scheduleAll(
          IntStream.range(0, 30)
              .mapToObj(i -> "m" + i)
              .filter(id -> Partition.indexOf(id, 3) == 2)
              .map(id -> Message.of("x").id(id).dueIn(Duration.ofHours(1)))
              .toList());
      queue.pause();
      long scheduled = queue.counts().scheduled();
      redis.ask("DEL", "{punctual:q:2}:meta");

      assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      assertThat(queue.counts().scheduled()).isEqualTo(scheduled).isPositive();
      assertThat(queue.counts().paused()).isTrue();
    }
  }

  @Test
  void onlyPartitionWithLostMeta_isReportedAndNotDeleted() {
    try (CapturedLog log = new CapturedLog();
        Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule(Message.of("x").id("a").dueIn(Duration.ofHours(1)));
      redis.ask("DEL", META);

      assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      assertThat(punctual.queues()).contains("q");
      queue.schedule(Message.of("x").id("b").dueIn(Duration.ofHours(1)));
      assertThat(queue.counts().scheduled()).isEqualTo(2);
      assertThat(log.linesWith("'" + META + "' was lost")).hasSize(1);
    }
  }

  /** A client that uses the default number of partitions must not found the queue with it. */
  @Test
  void firstMetaRemoved_clientWithAnotherNumberOfPartitions_reachesAllMessages() {
    List<String> ids = IntStream.range(0, 41).mapToObj(i -> "m" + i).toList();
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string(), 4);
      queue.scheduleAll(
          ids.stream().map(id -> Message.of("x").id(id).dueIn(Duration.ofHours(1))).toList());
      queue.pause();
      queue.setLimits(QueueLimits.none().concurrency(8));
    }
    redis.ask("DEL", META);
    try (CapturedLog log = new CapturedLog();
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> queue = other.queue("q", Codec.string());

      assertThat(ids).allSatisfy(id -> assertThat(queue.find(id)).isPresent());
      assertThat(queue.counts().scheduled()).isEqualTo(41);
      assertThat(queue.counts().paused()).isTrue();
      assertThat(queue.counts().limits().concurrency()).isEqualTo(8);
      assertThat(queue.schedule(Message.of("x").id("new")).outcome())
          .isEqualTo(ScheduleOutcome.STORED);
      assertThat(queue.partitions()).isEqualTo(4);
      assertThat(log.linesWith("meta' was lost")).hasSize(1);
    }
  }

  /** Between the two questions of a client, a different client creates the queue. */
  @Test
  void queueCreatedWhileAClientLooksForIt_isNotReportedAsLost() throws Exception {
    try (CapturedLog log = new CapturedLog();
        Punctual creator = Punctual.open(redis.url());
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        RedisStore looking =
            RedisStore.builder().url("redis://127.0.0.1:" + proxy.port() + "?timeout=60s").open()) {
      assertThat(PartitionUser.await(looking.queues())).isEmpty();
      proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(500));
      long before = proxy.passedBytes(Direction.TO_SERVER);
      CompletableFuture<List<Partition>> partitions = looking.partitions("q").toCompletableFuture();
      Awaitility.await().until(() -> proxy.passedBytes(Direction.TO_SERVER) > before);
      creator
          .queue("q", Codec.string(), 4)
          .scheduleAll(IntStream.range(0, 41).mapToObj(i -> Message.of("x").id("m" + i)).toList());
      proxy.heal();

      assertThat(partitions.join()).isNotEmpty();

      assertThat(log.linesWith("was lost")).isEmpty();
    }
  }
}
