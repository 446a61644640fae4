package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests clients that assume different numbers of partitions, and the fairness between partitions.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RedisPartitionsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private RedisProcess redis;

  @BeforeAll
  void startRedis() {
    redis = RedisProcess.sharedAndEmpty();
  }

  private static int partitionOf(String id, int partitions) {
    CRC32C hash = new CRC32C();
    hash.update(id.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % partitions);
  }

  private static Stream<String> idsIn(int partition, int partitions) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "id-" + i)
        .filter(id -> partitionOf(id, partitions) == partition);
  }

  private static Message<String> message(String id, Duration delay) {
    return Message.of("x").id(id).dueIn(delay);
  }

  @Test
  void client_believingAnotherNumber_isCorrectedAndNothingGoesAstray() {
    try (Punctual one = Punctual.open(redis.url());
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> mistaken = one.queue("corrected", Codec.string(), 8);
      TimedQueue<String> first = other.queue("corrected", Codec.string(), 3);
      first.scheduleAll(idsIn(2, 3).limit(20).map(id -> message(id, HOUR)).toList());
      List<String> ids = idsInEachOf(8);
      mistaken.scheduleAll(ids.stream().map(id -> message(id, HOUR)).toList());
      Awaitility.await().until(() -> mistaken.partitions() == 3);
      Set<String> all = new HashSet<>(ids);
      idsIn(2, 3).limit(20).forEach(all::add);
      assertThat(first.counts().scheduled()).isEqualTo(all.size());
      assertThat(mistaken.counts().scheduled()).isEqualTo(all.size());
      all.forEach(id -> assertThat(first.cancel(id)).isEqualTo(CancelOutcome.CANCELLED));
    }
  }

  private static List<String> idsInEachOf(int partitions) {
    return IntStream.range(0, partitions)
        .mapToObj(partition -> idsIn(partition, partitions).findFirst().orElseThrow())
        .toList();
  }

  @Test
  void client_correctedWhileItAsks_operationsKeepTheirOrder() {
    try (Punctual one = Punctual.open(redis.url());
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> mistaken = one.queue("in-order", Codec.string(), 8);
      other.queue("in-order", Codec.string(), 3).schedule(message("a", HOUR));
      List<CompletionStage<Scheduled>> stored = new ArrayList<>();
      List<CompletionStage<CancelOutcome>> cancelled = new ArrayList<>();
      for (String id : idsInEachOf(8)) {
        for (int i = 0; i < 50; i++) {
          stored.add(mistaken.async().schedule(message(id, HOUR)));
          cancelled.add(mistaken.async().cancel(id));
        }
      }
      for (CompletionStage<Scheduled> each : stored) {
        assertThat(PartitionUser.await(each).outcome()).isEqualTo(ScheduleOutcome.STORED);
      }
      for (CompletionStage<CancelOutcome> each : cancelled) {
        assertThat(PartitionUser.await(each)).isEqualTo(CancelOutcome.CANCELLED);
      }
    }
  }

  @Test
  void work_believingAnotherNumber_isCorrectedAndServesAllPartitions() {
    try (Punctual one = Punctual.open(redis.url());
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> mistaken = one.queue("worked", Codec.string(), 2);
      TimedQueue<String> first = other.queue("worked", Codec.string(), 5);
      first.scheduleAll(idsInEachOf(5).stream().map(id -> message(id, Duration.ZERO)).toList());
      Set<String> handled = ConcurrentHashMap.newKeySet();
      Worker worker = mistaken.work(delivery -> handled.add(delivery.id()));
      Awaitility.await().until(() -> handled.containsAll(idsInEachOf(5)));
      first.schedule(message("later", Duration.ofMillis(100)));
      Awaitility.await().until(() -> handled.contains("later"));
      worker.close();
      Awaitility.await().until(() -> first.counts().pending() == 0);
    }
  }

  @Test
  void safetyCheck_assumingAFormerNumber_answersNow_soThatAClaimLearnsTheNumber() {
    try (RedisStore store = RedisStore.builder().url(redis.url()).open();
        Punctual other = Punctual.open(redis.url())) {
      List<Partition> former = PartitionUser.await(store.partitions("checked", 2));
      String id = idsIn(4, 5).findFirst().orElseThrow();
      other.queue("checked", Codec.string(), 5).schedule(message(id, HOUR));

      assertThat(PartitionUser.await(store.untilNext(former))).contains(0);

      List<Partition> current = PartitionUser.await(store.partitions("checked", 2));
      assertThat(current).hasSize(5);
      assertThat(PartitionUser.await(store.untilNext(current.subList(0, 2))))
          .containsExactly(Reply.NONE, Reply.NONE);
    }
  }

  @Test
  void idleWorker_whoseQueueWasCreatedAgainWithMorePartitions_servesThemAll() {
    try (Punctual one = Punctual.open(redis.url());
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> idle = one.queue("renumbered", Codec.string(), 2);
      Set<String> handled = ConcurrentHashMap.newKeySet();
      Worker worker = idle.work(delivery -> handled.add(delivery.id()));
      idle.schedule(message("before", Duration.ZERO));
      Awaitility.await().until(() -> handled.contains("before") && idle.counts().pending() == 0);

      assertThat(other.purgeAndDeleteQueue("renumbered")).isEqualTo(DeleteQueueOutcome.DELETED);
      String id = idsIn(4, 5).findFirst().orElseThrow();
      other.queue("renumbered", Codec.string(), 5).schedule(message(id, Duration.ZERO));

      Awaitility.await().until(() -> handled.contains(id));
      assertThat(idle.partitions()).isEqualTo(5);
      worker.close();
    }
  }

  @Test
  void lookUp_believingAnotherNumber_isAskedAgainWhereTheMessagesAre() {
    try (Punctual one = Punctual.open(redis.url());
        Punctual two = Punctual.open(redis.url());
        Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> looking = one.queue("looked-up", Codec.string(), 8);
      TimedQueue<String> claiming = two.queue("looked-up", Codec.string(), 8);
      TimedQueue<String> first = other.queue("looked-up", Codec.string(), 3);
      List<String> ids = idsInEachOf(3);
      first.scheduleAll(ids.stream().map(id -> message(id, Duration.ZERO)).toList());
      assertThat(looking.find(ids.get(2))).isPresent();
      assertThat(looking.counts().pending()).isEqualTo(3);
      Set<String> claimed = new HashSet<>();
      while (claimed.size() < 3) {
        List<Delivery<String>> some =
            claiming.claim(
                10,
                ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)).maxWait(Duration.ofSeconds(10)));
        assertThat(some).isNotEmpty();
        some.forEach(delivery -> claimed.add(delivery.id()));
      }
      assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @Test
  void partition_itsMetaIsGone_refusesUntilTheFirstOneWasAsked() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("unfounded", Codec.string(), 4);
      List<String> ids = idsIn(3, 4).limit(2).toList();
      queue.schedule(message(ids.get(0), HOUR));
      redis.ask("DEL", "{punctual:unfounded:3}:meta");
      queue.schedule(message(ids.get(1), HOUR));
      assertThat(redis.ask("HGET", "{punctual:unfounded:3}:meta", "partitions")).isEqualTo("4");
      assertThat(queue.counts().scheduled()).isEqualTo(2);
      assertThat(queue.cancel(ids.get(0))).isEqualTo(CancelOutcome.CANCELLED);
    }
  }

  @Test
  void worker_oneHotPartition_othersGetTheirTurns() {
    int partitions = 8;
    List<String> handled = new CopyOnWriteArrayList<>();
    Semaphore turns = new Semaphore(20);
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("hot", Codec.string(), partitions);
      List<Message<String>> all = new ArrayList<>();
      idsIn(0, partitions).limit(2000).forEach(id -> all.add(message(id, Duration.ZERO)));
      queue.scheduleAll(all);
      queue.work(
          WorkerOptions.builder().concurrency(4).build(),
          delivery -> {
            turns.acquire();
            handled.add(delivery.id());
          });
      Awaitility.await().until(() -> handled.size() == 20);
      int before = handled.size();
      List<String> others =
          IntStream.range(1, partitions)
              .boxed()
              .flatMap(partition -> idsIn(partition, partitions).limit(3))
              .toList();
      queue.scheduleAll(others.stream().map(id -> message(id, Duration.ZERO)).toList());
      turns.release(2000 + others.size());
      Awaitility.await().until(() -> handled.containsAll(others));
      int last = others.stream().mapToInt(handled::indexOf).max().orElseThrow();
      // If the worker emptied the hot partition first, all of its messages would precede the other
      // messages.
      assertThat(last - before).isLessThan(1000);
      Awaitility.await().until(() -> handled.size() == 2000 + others.size());
    }
  }
}
