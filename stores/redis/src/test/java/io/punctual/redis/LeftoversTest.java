package io.punctual.redis;

import static io.punctual.redis.PartitionUser.PAST;
import static io.punctual.redis.PartitionUser.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.DeleteQueueOutcome;
import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests data that crashed clients leave on the server, and clients with outdated data about the
 * server.
 */
final class LeftoversTest {
  private static final String KEY = "{punctual:q:0}:";
  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    store = RedisStore.builder().url(redis.url() + "?timeout=60s").open();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  @Test
  void purge_abandoned_sparedIdsExpire() {
    PartitionUser user = new PartitionUser(store, "q");
    String soon = Long.toString(Instant.now().plusSeconds(60).toEpochMilli());
    redis.ask("HSET", KEY + "meta", "purge", soon + " crashed");
    user.schedule("new", 10);
    assertThat(redis.ask("SMEMBERS", KEY + "spared")).isEqualTo(List.of("new"));
    assertThat((Long) redis.ask("TTL", KEY + "spared")).isBetween(60L, 120L);
    redis.ask("PERSIST", KEY + "spared");
    user.claim(1);
    assertThat((Long) redis.ask("TTL", KEY + "spared")).isBetween(60L, 120L);
  }

  @Test
  void purge_reservationOfAClockThatSteppedBack_doesNotCount() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 10);
    String far = Long.toString(Instant.now().plusSeconds(3600).toEpochMilli());
    redis.ask("HSET", KEY + "meta", "purge", far + " crashed");
    assertThat(await(user.partition().purge(Set.of(State.READY)))).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "S, READY, 3600000, 0",
    "R, SCHEDULED, -3600000, 0",
    "WL, READY, 3600000, 1",
    "S, SCHEDULED, 7200000, 1",
    "R, READY, -1000, 1"
  })
  void purge_rescheduledIntoItsState_isRemovedOnlyIfItWasInAStateOfThePurge(
      String steps, State before, long move, long removed) {
    PartitionUser user = new PartitionUser(store, "q");
    long now = Instant.now().toEpochMilli();
    long due = before == State.READY ? 1000 : now + 3_600_000;
    user.apply(null, PartitionUser.scheduling("a", new DueTime(false, due), 10));
    RedisPartition partition = (RedisPartition) user.partition();
    String began = purgeStep(partition, steps, "begin");
    user.apply(null, new Operation.Reschedule("a", new DueTime(false, now + move)));
    String step = steps.substring(0, 1);
    assertThat(purgeStep(partition, steps, step, "250", began)).isEqualTo(Long.toString(removed));
  }

  private static String purgeStep(RedisPartition partition, String steps, String... arguments) {
    List<byte[]> argv = partition.argv((steps + "-purge").getBytes(UTF_8));
    for (String argument : arguments) {
      argv.add(argument.getBytes(UTF_8));
    }
    return await(
        partition.look(
            PartitionScripts.PURGE,
            argv,
            values ->
                arguments[0].equals("begin")
                    ? new String(values.nextSome(), UTF_8)
                    : Long.toString(values.nextLong())));
  }

  @Test
  void readOnlyReplica_saysOfNoCallThatItDidNotRun() {
    PartitionUser user = new PartitionUser(store, "q");
    Call.Body change = new Call.Apply(List.of(PartitionUser.scheduling("b", PAST, 1)), null);
    assertThat(user.callTooHigh(change)).isInstanceOf(Reply.Gap.class);
    assertThat(user.callInUnknownSession(change)).isInstanceOf(Reply.NoSession.class);
    redis.ask("REPLICAOF", "127.0.0.1", "1");
    try {
      assertThatThrownBy(() -> user.callTooHigh(change))
          .isInstanceOf(Partition.NotSentException.class)
          .hasMessageContaining("READONLY");
      assertThatThrownBy(() -> user.callInUnknownSession(change))
          .isInstanceOf(Partition.NotSentException.class);
    } finally {
      redis.ask("REPLICAOF", "NO", "ONE");
    }
  }

  @Test
  void session_ofACrashedClient_keepsFewIdsForAnHour() {
    PartitionUser user = new PartitionUser(store, "q");
    for (int round = 0; round < 20; round++) {
      user.apply(
          null,
          IntStream.range(0, 200)
              .mapToObj(i -> PartitionUser.scheduling("message " + i, PartitionUser.PAST, 1))
              .toArray(Operation[]::new));
      long token = user.claim(200).token();
      user.apply(
          null,
          IntStream.range(0, 200)
              .mapToObj(i -> new Operation.Ack("message " + i, token))
              .toArray(Operation[]::new));
    }
    String session = (String) ((List<?>) redis.ask("KEYS", KEY + "session:*")).get(0);
    long bytes =
        ((List<?>) redis.ask("HVALS", session))
            .stream().mapToLong(value -> value.toString().length()).sum();
    assertThat(bytes).isLessThan(4000);
    assertThat((Long) redis.ask("TTL", session)).isBetween(3600L, 4200L);
  }

  @Test
  void flushall_sessionOpenedAgain_queueIsListedAgain() {
    PartitionUser user = new PartitionUser(store, "q");
    user.schedule("a", 1);
    Awaitility.await().until(() -> await(store.queues()).equals(List.of("q")));
    redis.ask("FLUSHALL");
    assertThat(user.call(new Call.Claim(1, 1000))).isInstanceOf(Reply.NoSession.class);
    new PartitionUser(store, "q").schedule("b", 1);
    Awaitility.await().until(() -> await(store.queues()).equals(List.of("q")));
  }

  @Test
  void claim_manyCancelledLeasesThatEnded_removesThemInSteps() {
    PartitionUser user = new PartitionUser(store, "q");
    for (int from = 0; from < 1000; from += 250) {
      user.apply(
          null,
          IntStream.range(from, from + 250)
              .mapToObj(i -> PartitionUser.scheduling("m" + i, PartitionUser.PAST, 1))
              .toArray(Operation[]::new));
    }
    user.call(new Call.Claim(1000, 60_000));
    for (int from = 0; from < 1000; from += 250) {
      user.apply(
          null,
          IntStream.range(from, from + 250)
              .mapToObj(i -> new Operation.Cancel("m" + i))
              .toArray(Operation[]::new));
    }
    redis.ask(
        "EVAL",
        "for i = 0, 999 do redis.call('ZADD', KEYS[1], 1, 'm' .. i) end",
        "1",
        KEY + "leased");
    Reply.Claimed first = user.claim(1);
    assertThat(first.untilNextMicros()).isZero();
    assertThat((Long) redis.ask("ZCARD", KEY + "leased")).isBetween(500L, 999L);
    Awaitility.await().until(() -> user.claim(1).untilNextMicros() == Reply.NONE);
    assertThat(redis.ask("EXISTS", KEY + "leased", KEY + "leases")).isEqualTo(0L);
    assertThat(redis.ask("HKEYS", KEY + "messages")).as("see inspect.lua").isEqualTo(List.of(""));
  }

  @Test
  void clientsOfOneImage_sameSession_bothStoreTheirMessages() {
    PartitionUser user = new PartitionUser(store, "q");
    Operation.Schedule theirs = schedule("theirs");
    Operation.Schedule mine = schedule("mine");
    assertThat(user.callFirst(new Call.Apply(List.of(theirs), null)))
        .isInstanceOfSatisfying(
            Reply.Applied.class,
            applied ->
                assertThat(applied.outcomes().get(0)).isInstanceOf(Outcome.OfSchedule.class));
    user.forgetLast();
    assertThat(user.callFirst(new Call.Apply(List.of(mine), null)))
        .isInstanceOf(Reply.NoSession.class);
    assertThat(await(user.partition().find("mine"))).isEmpty();
    assertThat(await(user.partition().find("theirs"))).isPresent();
  }

  @Test
  void untilNext_queueWasDeleted_doesNotRegisterTheClientAgain() {
    PartitionUser user = new PartitionUser(store, "q");
    CompletableFuture<Long> listens = new CompletableFuture<>();
    try (Registration registration = user.partition().onWakeUp(listens::complete)) {
      listens.join();
      user.claim(1);
      assertThat(redis.ask("EXISTS", KEY + "waiting")).isEqualTo(1L);
      assertThat(await(store.delete("q"))).isEqualTo(DeleteQueueOutcome.DELETED);
      await(store.untilNext(List.of(user.partition())));
      assertThat(redis.ask("EXISTS", KEY + "waiting")).isEqualTo(0L);
      PartitionUser producer = new PartitionUser(store, "q");
      producer.schedule("later", 1);
      assertThat(await(store.untilNext(List.of(user.partition())))).containsExactly(0L);
      assertThat(redis.ask("EXISTS", KEY + "waiting")).isEqualTo(1L);
      assertThat(registration).isNotNull();
    }
  }

  /** Runs one of the two steps in which a client creates partition 2. */
  private @Nullable Object createPartitionTwo(String step) {
    List<byte[]> keys = partitionTwo().keys().partition();
    List<byte[]> argv = List.of("3".getBytes(UTF_8), step.getBytes(UTF_8));
    return await(store.deployment().run(PartitionScripts.FOUND, keys, argv)).values().get(0);
  }

  private RedisPartition partitionTwo() {
    return (RedisPartition) partitions().get(2);
  }

  private List<Partition> partitions() {
    return await(store.partitions("q", 3));
  }

  @Test
  void openSession_clientCrashedWhileItCreatedThePartition_createsTheFirstPartition() {
    createPartitionTwo("prepare");
    await(partitionTwo().openSession("session", null));
    assertThat(redis.ask("HGET", "{punctual:q:0}:meta", "partitions")).isEqualTo("3");
    assertThat(redis.ask("TTL", "{punctual:q:2}:meta")).isEqualTo(-1L);
  }

  @Test
  void create_clientCrashedHalfWay_leavesAKeyThatExpires() {
    createPartitionTwo("prepare");
    assertThat(redis.ask("EXISTS", "{punctual:q:0}:meta")).isEqualTo(0L);
    assertThat((Long) redis.ask("TTL", "{punctual:q:2}:meta")).isBetween(1L, 600L);
  }

  @Test
  void create_queueIsDeletedBetweenTheSteps_createsNoPartitionWithoutTheFirst() {
    await(partitions().get(0).openSession("session", null));
    createPartitionTwo("prepare");
    assertThat(await(store.delete("q"))).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(createPartitionTwo("confirm")).isNull();
    assertThat(redis.ask("KEYS", "*:meta")).isEqualTo(List.of());
  }

  @Test
  void delete_clientCrashedWhileItCreatedAPartition_leavesNoKey() {
    await(partitions().get(0).openSession("session", null));
    createPartitionTwo("prepare");
    assertThat(await(store.delete("q"))).isEqualTo(DeleteQueueOutcome.DELETED);
    await(partitions().get(0).closeSession("session"));
    assertThat(redis.ask("KEYS", "*")).isEqualTo(List.of());
  }

  private static Operation.Schedule schedule(String id) {
    return new Operation.Schedule(
        id, PartitionUser.PAST, IfPresent.KEEP, Content.of(new byte[] {1}));
  }
}
