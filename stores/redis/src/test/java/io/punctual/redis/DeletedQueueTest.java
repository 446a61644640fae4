package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the keys that a deleted queue leaves, deletions that fail partway, and deletions during
 * which a producer creates the queue again.
 */
final class DeletedQueueTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final PauseNote NOTE = new PauseNote("maintenance", "Ann");

  private RedisProcess redis;
  private Punctual punctual;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    punctual = Punctual.open(redis.url());
  }

  @AfterEach
  void stop() {
    punctual.close();
    redis.ask("ACL", "SETUSER", "default", "+@all");
  }

  private TimedQueue<String> filled(int partitions) {
    TimedQueue<String> queue = punctual.queue("q", Codec.string(), partitions);
    fill(queue);
    return queue;
  }

  private static void fill(TimedQueue<String> queue) {
    queue.scheduleAll(
        IntStream.range(0, 50).mapToObj(i -> Message.of("x").id("m" + i).dueIn(HOUR)).toList());
  }

  private List<String> keys() {
    return ((List<?>) redis.ask("KEYS", "*")).stream().map(String::valueOf).sorted().toList();
  }

  @Test
  void purgeAndDeleteQueue_clientClosed_leavesNoKey() {
    TimedQueue<String> unused = filled(3);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(punctual.queues()).isEmpty();
    punctual.close();
    // Closing a client only sends the end of its sessions, without waiting for the reply.
    Awaitility.await().untilAsserted(() -> assertThat(keys()).isEmpty());
  }

  /**
   * The server still has the stored replies of the client's session from before the deletion. A
   * session with the same name would receive these replies.
   */
  @Test
  void queue_createdAgainWithOtherPartitions_getsSessionsOfNewNames() {
    TimedQueue<String> queue = filled(3);
    try (Punctual other = Punctual.open(redis.url())) {
      assertThat(other.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    }
    try (Punctual third = Punctual.open(redis.url())) {
      fill(third.queue("q", Codec.string(), 1));
    }
    queue.schedule(Message.of("x").id("later").dueIn(HOUR));
    assertThat(queue.find("later")).isPresent();
    assertThat(sessionPrefixes()).as("before and after the deletion").hasSize(2);
  }

  private List<String> sessionPrefixes() {
    return keys().stream()
        .filter(key -> key.startsWith("{punctual:q:0}:session:"))
        .map(key -> key.substring(0, key.lastIndexOf('.')))
        .distinct()
        .toList();
  }

  @Test
  void deleteQueue_sessionOfACrashedClient_expires() {
    TimedQueue<String> unused = filled(1);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(keys()).allMatch(key -> key.startsWith("{punctual:q:0}:session:"));
    keys().forEach(key -> assertThat((Long) redis.ask("TTL", key)).isPositive());
  }

  @Test
  void deleteQueue_earlierOneEndedHalfWay_finishesIt() {
    TimedQueue<String> queue = filled(3);
    queue.purge(EnumSet.allOf(State.class));
    redis.ask("HSET", "{punctual:q:0}:meta", "deletion", "crashed");
    redis.ask("DEL", "{punctual:q:2}:meta");
    assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(punctual.queues()).isEmpty();
  }

  @Test
  void schedule_earlierDeletionEndedHalfWay_losesNothing() {
    TimedQueue<String> queue = filled(3);
    queue.purge(EnumSet.allOf(State.class));
    redis.ask("DEL", "{punctual:q:2}:meta");
    fill(queue);
    assertThat(queue.counts().scheduled()).isEqualTo(50);
    assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
    assertThat(queue.counts().scheduled()).isEqualTo(50);
  }

  @Test
  void deleteQueue_messageInOnePartition_changesNoPartition() {
    TimedQueue<String> queue = filled(3);
    queue.setLimits(QueueLimits.none().concurrency(3));
    queue.pause(NOTE);
    for (int partition = 0; partition < 3; partition++) {
      queue.purge(EnumSet.allOf(State.class));
      queue.schedule(Message.of("x").id(id(partition)).dueIn(HOUR));
      List<?> before = settings();
      assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      assertThat(settings()).as("a message in partition %s", partition).isEqualTo(before);
    }
    assertThat(redis.ask("HEXISTS", "{punctual:q:0}:meta", "deletion")).isEqualTo(0L);
  }

  private static String id(int partition) {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> "m" + i)
        .filter(id -> Partition.indexOf(id, 3) == partition)
        .findFirst()
        .orElseThrow();
  }

  /** The pause, its note, the limits and the shares of each partition. */
  private List<?> settings() {
    return IntStream.range(0, 3)
        .mapToObj(
            i ->
                redis.ask(
                    "HMGET", "{punctual:q:" + i + "}:meta", "paused", "note", "limits", "shares"))
        .toList();
  }

  @Test
  void schedule_earlierDeletionEndedHalfWay_partitionIsPausedAndLimited() {
    TimedQueue<String> queue = filled(3);
    queue.purge(EnumSet.allOf(State.class));
    QueueLimits limits = QueueLimits.none().rate(9, HOUR, 6).concurrency(3);
    queue.setLimits(limits);
    queue.pause(NOTE);
    redis.ask("DEL", "{punctual:q:2}:meta");
    fill(queue);
    String meta = "{punctual:q:2}:meta";
    assertThat(redis.ask("HMGET", meta, "paused", "note", "limits"))
        .isEqualTo(redis.ask("HMGET", "{punctual:q:1}:meta", "paused", "note", "limits"));
    assertThat(redis.ask("HGET", meta, "shares"))
        .asString()
        .matches("1048576 1048576 \\d{16} - - - -");
    try (RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      PartitionCounts counts =
          PartitionUser.await(PartitionUser.await(store.partitions("q")).get(2).counts());
      assertThat(counts.paused()).isTrue();
      assertThat(counts.pauseNote()).isEqualTo(NOTE);
      assertThat(counts.limits()).isEqualTo(limits);
    }
  }

  @Test
  void schedule_partitionComesIntoBeingDuringADeletion_endsTheDeletion() {
    TimedQueue<String> queue = filled(3);
    queue.purge(EnumSet.allOf(State.class));
    redis.ask("HSET", "{punctual:q:0}:meta", "deletion", "running");
    redis.ask("DEL", "{punctual:q:2}:meta");
    fill(queue);
    assertThat(redis.ask("HEXISTS", "{punctual:q:0}:meta", "deletion")).isEqualTo(0L);
  }

  @Test
  void schedule_leftOverPartitionOfAnotherNumber_takesTheNewNumber() {
    redis.ask("HSET", "{punctual:q:1}:meta", "format", "1", "partitions", "5");
    TimedQueue<String> queue = filled(3);
    assertThat(queue.counts().scheduled()).isEqualTo(50);
    assertThat(redis.ask("HGET", "{punctual:q:1}:meta", "partitions")).isEqualTo("3");
  }

  @Test
  void deleteQueue_leftOverPartitionOfAnotherNumber_isDeletedToo() {
    TimedQueue<String> queue = filled(3);
    queue.purge(EnumSet.allOf(State.class));
    redis.ask("HSET", "{punctual:q:1}:meta", "partitions", "5");
    assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(keys()).noneMatch(key -> key.endsWith(":meta"));
  }

  @Test
  void deleteQueue_lastStepIsRefused_doesNotClaimThatNothingWasDone() {
    TimedQueue<String> queue = filled(1);
    queue.purge(EnumSet.allOf(State.class));
    redis.ask("ACL", "SETUSER", "default", "-srem");
    assertThatThrownBy(() -> punctual.deleteQueue("q"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("delete the queue again")
        .hasMessageContaining("the user lacks a right");
    redis.ask("ACL", "SETUSER", "default", "+srem");
    assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    assertThat(punctual.queues()).isEmpty();
  }

  @Test
  void deleteQueue_clockWasSetBackBefore_fencingTokensGoOnIncreasing() throws Exception {
    TimedQueue<String> queue = filled(1);
    long last = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) * 2;
    redis.ask("HSET", "{punctual:q:0}:meta", "token", Long.toString(last));
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(punctual.deleteQueue("q")).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    queue.schedule("x", Duration.ZERO);
    List<Delivery<String>> claimed =
        queue.claim(
            1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)).maxWait(Duration.ofSeconds(30)));
    assertThat(claimed)
        .singleElement()
        .satisfies(x -> assertThat(x.fencingToken()).isEqualTo(last + 1));
  }

  @Test
  void deleteQueue_otherPartitions_queueTakesANewNumber() {
    TimedQueue<String> queue = filled(3);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    try (Punctual other = Punctual.open(redis.url())) {
      TimedQueue<String> again = other.queue("q", Codec.string(), 2);
      fill(again);
      assertThat(again.partitions()).isEqualTo(2);
      assertThat(queue.counts().scheduled()).isEqualTo(50);
      assertThat(queue.partitions()).isEqualTo(2);
    }
  }

  @Test
  void queue_thisClientHasDeletedIt_takesTheNumberOfTheNextLookUp() {
    TimedQueue<String> queue = filled(3);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    TimedQueue<String> again = punctual.queue("q", Codec.string(), 5);
    assertThat(again.partitions()).isEqualTo(5);
    fill(again);
    assertThat(queue.partitions()).isEqualTo(5);
    assertThat(queue.counts().scheduled()).isEqualTo(50);
    try (Punctual other = Punctual.open(redis.url())) {
      assertThat(other.queue("q", Codec.string()).partitions()).isEqualTo(5);
    }
  }

  @Test
  void queue_thisClientHasDeletedItAndAnotherCreatedIt_takesTheNumberOfTheOther() {
    TimedQueue<String> queue = filled(3);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    try (Punctual other = Punctual.open(redis.url())) {
      fill(other.queue("q", Codec.string(), 2));
    }
    assertThat(punctual.queue("q", Codec.string(), 5).partitions()).isEqualTo(2);
    assertThat(queue.counts().scheduled()).isEqualTo(50);
  }

  /**
   * The worker may create the queue again before the look-up; in that case, the worker's number of
   * partitions is the right number.
   */
  @Test
  void queue_thisClientHasDeletedIt_itsWorkerHandlesTheMessagesOfTheNextQueue() throws Exception {
    TimedQueue<String> queue = filled(3);
    CountDownLatch handled = new CountDownLatch(10);
    try (Worker worker = queue.work(delivery -> handled.countDown())) {
      assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
      TimedQueue<String> again = punctual.queue("q", Codec.string(), 5);
      for (int i = 0; i < 10; i++) {
        again.schedule("x", Duration.ZERO);
      }
      assertThat(handled.await(30, TimeUnit.SECONDS)).as(worker.queue()).isTrue();
      assertThat(queue.partitions()).isEqualTo(again.partitions());
    }
  }

  @Test
  void queue_lookUpAfterTheDeletionIsRefused_asksAgainLater() {
    TimedQueue<String> unused = filled(3);
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    redis.ask("ACL", "SETUSER", "default", "-hget");
    assertThatThrownBy(() -> punctual.queue("q", Codec.string(), 5))
        .isInstanceOf(StoreRefusedException.class);
    redis.ask("ACL", "SETUSER", "default", "+hget");
    assertThat(punctual.queue("q", Codec.string(), 5).partitions()).isEqualTo(5);
  }

  @Test
  void purge_clientCrashesOnAQueueThatDoesNotExist_leavesNoKey() {
    try (RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      RedisPartition partition = (RedisPartition) PartitionUser.await(store.partitions("q")).get(0);
      List<byte[]> begin = partition.argv("crashed".getBytes(US_ASCII), "begin".getBytes(US_ASCII));
      PartitionUser.await(partition.look(PartitionScripts.PURGE, begin, values -> values));
    }
    assertThat(keys()).isEmpty();
  }

  @Test
  void pause_resumesUnknownQueue_leavesNoKey() {
    punctual.queue("q", Codec.string(), 3).resume();
    assertThat(keys()).isEmpty();
  }

  @Test
  void pause_serverRefusesToListTheQueue_queueIsPaused() {
    TimedQueue<String> queue = punctual.queue("q", Codec.string(), 3);
    redis.ask("ACL", "SETUSER", "default", "-sadd");
    queue.pause();
    assertThat(queue.counts().paused()).isTrue();
    assertThat(punctual.queues()).isEmpty();
    redis.ask("ACL", "SETUSER", "default", "+sadd");
    queue.pause();
    assertThat(punctual.queues()).containsExactly("q");
  }

  @Test
  void deleteQueue_clockWasSetBackBefore_tokenIsKeptUntilTheClockHasPassedIt() {
    TimedQueue<String> unused = filled(1);
    long last = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + 1_000_000_000_000L;
    redis.ask("HSET", "{punctual:q:0}:meta", "token", Long.toString(last));
    assertThat(punctual.purgeAndDeleteQueue("q")).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat((Long) redis.ask("TTL", "{punctual:q:0}:meta")).isBetween(999_000L, 1_001_000L);
    fill(punctual.queue("q", Codec.string()));
    assertThat(redis.ask("HGET", "{punctual:q:0}:meta", "token")).isEqualTo(Long.toString(last));
    assertThat(redis.ask("TTL", "{punctual:q:0}:meta")).isEqualTo(-1L);
  }
}
