package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static io.punctual.redis.PartitionUser.scheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.Message;
import io.punctual.NotConfirmedException;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.redis.client.connection.Witness;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests changes that replicas have to confirm, and other calls while the replicas do not confirm.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class RedisDurabilityTest {
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Pattern CONNECTIONS = Pattern.compile("total_connections_received:(\\d+)");

  /** A server and its replica, which no test stops for good. */
  private static RedisProcess redis;

  private static RedisProcess replica;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    replica = RedisProcess.builder().replicaOf(redis).start();
  }

  @AfterAll
  static void stop() {
    replica.close();
    redis.close();
  }

  @AfterEach
  void thaw() {
    replica.thaw();
  }

  private static RedisStore open(RedisProcess redis, String options) {
    return RedisStore.builder().url(redis.url() + "?" + options).open();
  }

  /**
   * Schedules the message "first" again and again until a replica confirms it, which can take a
   * second.
   */
  private static void awaitReplica(PartitionUser user) {
    Operation first = scheduling("first", PartitionUser.PAST, 10);
    Awaitility.await().atMost(WAIT).until(() -> user.unconfirmed(first) == null);
  }

  @Test
  void replicaStopped_storedNotConfirmed() {
    redis.ask("FLUSHALL");
    try (RedisStore store = open(redis, "durability=replicas:1&durabilityTimeout=300ms")) {
      PartitionUser user = new PartitionUser(store, "q");
      awaitReplica(user);

      replica.freeze();
      Call.Apply call = new Call.Apply(List.of(scheduling("b", PartitionUser.PAST, 10)), null);
      expectUnconfirmed(user.call(call));
      expectUnconfirmed(user.repeat(call));
      redis.ask("CLIENT", "KILL", "TYPE", "normal");
      user.forgetLast();
      expectUnconfirmed(user.callUntilAnswered(call));

      replica.thaw();
      Awaitility.await()
          .atMost(WAIT)
          .until(() -> PartitionUser.unconfirmed(user.repeat(call)) == null);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(2);
    }
  }

  private static void expectUnconfirmed(Reply reply) {
    assertThat(PartitionUser.unconfirmed(reply)).containsPattern("0 of 1 replicas|not answered");
  }

  @Test
  void manyCallsOfBothKinds_inOrder() {
    RedisProcess alone = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(alone, "durabilityTimeout=10ms")) {
      Partition partition = await(store.partitions("q")).get(0);
      await(partition.openSession("s", null));
      List<CompletionStage<Reply>> replies = new ArrayList<>();
      for (int number = 1; number <= 200; number++) {
        Operation operation = scheduling("m" + number, PartitionUser.PAST, 1);
        Durability durability = number % 3 == 0 ? new Durability(false, 1) : null;
        replies.add(
            partition.call(
                new Call("s", number, 1, new Call.Apply(List.of(operation), durability))));
      }
      for (int number = 1; number <= 200; number++) {
        Reply reply = await(replies.get(number - 1));
        assertThat(reply).isInstanceOf(Reply.Applied.class);
        assertThat(PartitionUser.unconfirmed(reply) == null).isEqualTo(number % 3 != 0);
      }
    }
  }

  @Test
  void replicaStopped_claimsExtensionsAndOtherChanges_doNotWaitForConfirmations() {
    redis.ask("FLUSHALL");
    try (RedisStore store = open(redis, "durability=replicas:1&durabilityTimeout=60s")) {
      PartitionUser user = new PartitionUser(store, "q");
      awaitReplica(user);
      replica.freeze();

      Reply.Applied schedule = user.apply(null, scheduling("a", PartitionUser.PAST, 10));
      Reply.Claimed claimed = user.claim(10);
      Reply.Applied extension =
          user.apply(null, new Operation.Extend("a", claimed.token(), 60_000));
      Reply.Applied another = user.apply(null, scheduling("b", PartitionUser.PAST, 10));

      assertThat(claimed.messages()).hasSize(2);
      assertThat(extension.confirmation()).isNull();
      assertThat(schedule.confirmation()).isNotNull();
      assertThat(schedule.confirmation().toCompletableFuture()).isNotDone();
      replica.thaw();
      assertThat(PartitionUser.unconfirmed(schedule)).isNull();
      assertThat(PartitionUser.unconfirmed(another)).isNull();
    }
  }

  @Tag("extended")
  @ParameterizedTest
  @ValueSource(strings = {"frozen", "gone"})
  void longHandler_replicaStoppedForSeveralLeases_keepsItsLeaseAndRunsOnce(String how) {
    Duration lease = Duration.ofSeconds(10);
    ConcurrentLinkedQueue<Event> lost = new ConcurrentLinkedQueue<>();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess replica = RedisProcess.builder().replicaOf(redis).start();
        Punctual punctual =
            Punctual.builder()
                .store(open(redis, "durability=replicas:1&durabilityTimeout=4s"))
                .observer(event -> note(event, lost))
                .build()) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.work(
          WorkerOptions.builder().lease(lease).concurrency(2).build(),
          delivery -> {
            runs.incrementAndGet();
            end.await();
          });
      if (how.equals("frozen")) {
        replica.freeze();
      } else {
        replica.ask("REPLICAOF", "NO", "ONE");
      }
      CompletableFuture<?> scheduled =
          queue.async().schedule(Message.of("long")).toCompletableFuture();
      Awaitility.await().atMost(WAIT).until(() -> runs.get() == 1);
      Awaitility.await().pollDelay(lease.multipliedBy(2).plusSeconds(1)).until(() -> true);
      assertThat(lost).isEmpty();
      assertThat(runs).hasValue(1);
      assertThat(scheduled)
          .failsWithin(WAIT)
          .withThrowableThat()
          .withCauseInstanceOf(NotConfirmedException.class);
      end.countDown();
      Awaitility.await()
          .atMost(WAIT)
          .until(() -> redis.ask("ZCARD", "{punctual:q:0}:leased").equals(0L));
      assertThat(redis.ask("ZCARD", "{punctual:q:0}:scheduled")).isEqualTo(0L);
      assertThat(runs).hasValue(1);
    }
  }

  private static void note(Event event, ConcurrentLinkedQueue<Event> lost) {
    if (event instanceof Event.LeaseLost) {
      lost.add(event);
    }
  }

  private static int connections(RedisProcess redis) {
    Matcher found = CONNECTIONS.matcher(String.valueOf(redis.ask("INFO", "stats")));
    assertThat(found.find()).isTrue();
    return Integer.parseInt(found.group(1));
  }

  @Test
  void twoDurabilitiesNoReplica_timeoutBarelyLonger_noConnectionEnds() {
    RedisProcess alone = RedisProcess.sharedAndEmpty();
    try (RedisStore store = open(alone, "timeout=500ms&durabilityTimeout=450ms")) {
      PartitionUser user = new PartitionUser(store, "q");
      // One round without a lost connection is enough. A slow machine can also lose a connection.
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                apply(user);
                int before = connections(alone);
                for (int round = 0; round < 4; round++) {
                  apply(user);
                }
                // Redis counts all connections since its start. Each query of this number opens one
                // more.
                assertThat(connections(alone)).isEqualTo(before + 1);
              });
    }
  }

  /** Makes two changes, which one and two replicas would have to confirm. */
  private static void apply(PartitionUser user) {
    List<Reply.Applied> replies = new ArrayList<>();
    for (int replicas = 1; replicas <= 2; replicas++) {
      Operation operation = scheduling("m" + replicas, PartitionUser.PAST, 1);
      replies.add(user.apply(new Durability(false, replicas), operation));
    }
    assertThat(replies)
        .allSatisfy(
            reply -> assertThat(PartitionUser.unconfirmed(reply)).contains("replicas confirmed"));
  }

  @Test
  void confirm_serverHasNotCarriedTheCallOut_notConfirmed() {
    redis.ask("FLUSHALL");
    try (RedisStore store = open(redis, "durability=replicas:1")) {
      PartitionUser user = new PartitionUser(store, "q");
      awaitReplica(user);
      redis.ask("HSET", "{punctual:q:0}:session:other", "last", "6");
      byte[] key = "{punctual:q:0}:meta".getBytes(StandardCharsets.UTF_8);
      var confirmer = store.deployment().confirmer(key, new Durability(false, 1));
      assertThat(await(confirmer.confirm(Witness.ofCall("{punctual:q:0}:session:other", 6))))
          .containsOnlyNulls();
      assertThat(await(confirmer.confirm(Witness.ofCall("{punctual:q:0}:session:other", 7))))
          .singleElement(STRING)
          .contains("does not have it any more");
      assertThat(await(confirmer.confirm(Witness.ofCall("{punctual:q:0}:session:none", 1))))
          .singleElement(STRING)
          .contains("does not have it any more");
    }
  }

  @Test
  void scheduled_confirmedAlthoughManyAskAtOnce() {
    redis.ask("FLUSHALL");
    try (RedisStore store = open(redis, "durability=replicas:1&durabilityTimeout=20s")) {
      List<PartitionUser> users = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        users.add(new PartitionUser(store, "q" + i % 4));
      }
      List<Reply.Applied> replies = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        replies.add(users.get(i % 20).apply(null, scheduling("m" + i, PartitionUser.PAST, 1)));
      }
      assertThat(replies)
          .allSatisfy(reply -> assertThat(PartitionUser.unconfirmed(reply)).isNull());
    }
  }
}
