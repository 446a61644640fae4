package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class RedisClusterTest {
  private RedisCluster redis;
  private int names;

  @BeforeAll
  void startRedis() {
    redis = RedisCluster.start(3, 0);
  }

  @AfterAll
  void stopRedis() {
    redis.close();
  }

  private String newName() {
    return "queue-" + names++;
  }

  private TimedQueue<String> fill(Punctual punctual, int messages) {
    TimedQueue<String> queue = punctual.queue(newName(), Codec.string());
    List<Message<String>> all = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      all.add(Message.of("x").id("id-" + i).dueIn(Duration.ofMinutes(90)));
    }
    queue.scheduleAll(all);
    return queue;
  }

  @Test
  void open_noNodeServesASlot_failsWithTheRemedy() {
    try (RedisProcess alone = RedisProcess.builder().config("cluster-enabled", "yes").start()) {
      String url = "redis-cluster://127.0.0.1:" + alone.port();
      assertThatThrownBy(() -> Punctual.open(url))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining(url)
          .hasMessageContaining("redis-cli --cluster create");
    }
  }

  @Test
  void queue_newOnACluster_hasEightPartitionsThatShareTheMessages() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = fill(punctual, 400);
      assertThat(queue.partitions()).isEqualTo(8);
      for (int partition = 0; partition < 8; partition++) {
        assertThat(scheduledIn(queue.name(), partition)).isBetween(20L, 100L);
      }
    }
  }

  private long scheduledIn(String queue, int partition) {
    String key = "{punctual:" + queue + ":" + partition + "}:scheduled";
    return (Long) redis.primaryOf(key).ask("ZCARD", key);
  }

  @Test
  void queue_ofManyPartitions_looksLikeOne() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = fill(punctual, 100);
      assertThat(queue.counts().scheduled()).isEqualTo(100);
      assertThat(queue.find("id-7")).isPresent();
      Instant from = Instant.now();
      assertThat(queue.forecast(from, from.plus(Duration.ofHours(2)), 2).counts())
          .containsExactly(0L, 100L);
      Set<String> listed = ConcurrentHashMap.newKeySet();
      queue.stream(MessageQuery.of(State.SCHEDULED).limit(30))
          .forEach(item -> listed.add(item.id()));
      assertThat(listed).hasSize(100);
      queue.pause();
      assertThat(queue.counts().paused()).isTrue();
      assertThat(queue.purge(Set.of(State.SCHEDULED))).isEqualTo(100);
      assertThat(punctual.queues()).contains(queue.name());
    }
  }

  @Test
  void partitions_queueThatExists_keepsItsNumber() {
    String name = newName();
    try (Punctual first = Punctual.open(redis.url());
        Punctual second = Punctual.open(redis.url() + "?partitions=3")) {
      first.queue(name, Codec.string(), 4).schedule("x", Duration.ofHours(1));
      TimedQueue<String> same = second.queue(name, Codec.string());
      assertThat(same.partitions()).isEqualTo(4);
      assertThat(same.counts().scheduled()).isEqualTo(1);
      assertThat(second.queue(newName(), Codec.string()).partitions()).isEqualTo(3);
    }
  }

  @Test
  void lookUp_queueThatDoesNotExist_findsNothingAndCreatesNothing() {
    String name = newName();
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue(name, Codec.string());
      for (int i = 0; i < 20; i++) {
        assertThat(queue.find("id-" + i)).isEmpty();
      }
      assertThat(queue.counts().scheduled()).isZero();
      for (RedisProcess node : redis.nodes()) {
        assertThat((List<?>) node.ask("KEYS", "*" + name + "*")).isEmpty();
      }
    }
  }

  @Test
  void partition_notToldHowManyThereAre_refusesUntilTheFirstOneWasAsked() {
    String name = newName();
    try (RedisStore four = RedisStore.builder().url(redis.url()).partitions(4).open();
        RedisStore eight = RedisStore.builder().url(redis.url()).open()) {
      Partition mistaken = PartitionUser.await(eight.partitions(name)).get(7);
      PartitionUser.await(PartitionUser.await(four.partitions(name)).get(0).openSession("s", null));
      assertThatThrownBy(() -> PartitionUser.await(mistaken.openSession("s", null)))
          .isInstanceOfSatisfying(
              Partition.PartitionCountException.class,
              e -> assertThat(e.partitions()).isEqualTo(4));
      assertThatThrownBy(() -> PartitionUser.await(mistaken.find("x")))
          .isInstanceOf(Partition.PartitionCountException.class);
      Partition told = PartitionUser.await(eight.partitions(name)).get(3);
      PartitionUser.await(told.openSession("s", null));
      assertThat(PartitionUser.await(eight.partitions(name))).hasSize(4);
    }
  }

  @Test
  void slots_migratedUnderLoad_nothingIsLostOrReordered() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue(newName(), Codec.string(), 2);
      Set<String> done = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> done.add(delivery.id()));
      int messages = 0;
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 50; i++) {
          queue
              .async()
              .schedule(Message.of("x").id("id-" + messages++).dueIn(Duration.ofMillis(10L * i)));
        }
        migrate("{punctual:" + queue.name() + ":" + round % 2 + "}:");
      }
      int expected = messages;
      Awaitility.await().until(() -> done.size() == expected);
    }
  }

  private void migrate(String tag) {
    RedisProcess from = redis.primaryOf(tag);
    redis.migrate(tag, redis.nodes().stream().filter(n -> n != from).findFirst().orElseThrow());
  }

  @Test
  void hint_afterItsSlotMoved_stillWakes() {
    try (Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue(newName(), Codec.string(), 1);
      List<Duration> lateness = new java.util.concurrent.CopyOnWriteArrayList<>();
      queue.work(delivery -> lateness.add(delivery.lateness()));
      queue.schedule("x", Duration.ZERO);
      Awaitility.await().until(() -> lateness.size() == 1);
      migrate("{punctual:" + queue.name() + ":0}:");
      String channels = "{punctual:" + queue.name() + ":0}:waiting:*";
      RedisProcess node = redis.primaryOf(channels);
      String list = hasShardedChannels(node) ? "SHARDCHANNELS" : "CHANNELS";
      Awaitility.await()
          .until(() -> !String.valueOf(node.ask("PUBSUB", list, channels)).equals("[]"));
      try (Punctual other = Punctual.open(redis.url())) {
        TimedQueue<String> same = other.queue(queue.name(), Codec.string());
        // One message that the machine does not delay is enough.
        Awaitility.await()
            .until(
                () -> {
                  int before = lateness.size();
                  same.schedule("x", Duration.ZERO);
                  Awaitility.await().until(() -> lateness.size() > before);
                  return lateness.get(before).compareTo(Duration.ofSeconds(2)) < 0;
                });
      }
    }
  }

  private static boolean hasShardedChannels(RedisProcess node) {
    return !String.valueOf(node.ask("COMMAND", "INFO", "ssubscribe")).equals("[null]");
  }

  @Test
  void url_ofTheOtherKind_refusedWithTheRightOne() {
    assertThatThrownBy(() -> Punctual.open(redis.nodes().get(0).url()))
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("redis-cluster://");
    try (RedisProcess single = RedisProcess.start()) {
      String url = "redis-cluster://127.0.0.1:" + single.port();
      assertThatThrownBy(() -> Punctual.open(url))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("redis://");
    }
  }

  @Test
  @Tag("extended")
  void open_onePrimaryAway_opensAndServesTheOthers() {
    try (RedisCluster failing =
        RedisCluster.start(
            3, 0, RedisProcess.builder().config("cluster-require-full-coverage", "no"))) {
      failing.nodes().get(1).kill();
      try (RedisStore store =
          RedisStore.builder().url(failing.url() + "?timeout=2s&connectTimeout=2s").open()) {
        String queue =
            java.util.stream.IntStream.range(0, 100)
                .mapToObj(i -> "q" + i)
                .filter(name -> failing.slotOf("{punctual:" + name + ":0}:meta") < 5000)
                .findFirst()
                .orElseThrow();
        assertThat(new PartitionUser(store, queue).schedule("a", 1))
            .isInstanceOf(io.punctual.spi.Outcome.OfSchedule.class);
      }
    }
  }

  @Test
  void primary_killed_itsReplicaGoesOn() {
    try (RedisCluster failing = RedisCluster.start(3, 1);
        Punctual punctual = Punctual.open(failing.url() + "?durability=replicas:1")) {
      TimedQueue<String> queue = punctual.queue(newName(), Codec.string());
      Set<String> done = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> done.add(delivery.id()));
      for (int i = 0; i < 40; i++) {
        queue.schedule(Message.of("x").id("id-" + i).dueIn(Duration.ofMillis(100L * i)));
      }
      String tag = "{punctual:" + queue.name() + ":0}:";
      RedisProcess former = failing.primaryOf(tag);
      former.kill();
      failing.awaitPrimaryOtherThan(former, tag);
      // The new primary has no replica, so each change there waits in vain for a confirmation,
      // until the time-out.
      Awaitility.await().until(() -> done.size() == 40);
    }
  }

  @Test
  void confirm_slotIsMoving_asksAgainUntilItHasMoved() {
    String session = "{punctual:" + newName() + ":0}:session:s";
    Witness call = Witness.ofCall(session, 6);
    Durability noReplica = new Durability(false, 0);
    RedisProcess from = redis.primaryOf(session);
    RedisProcess to = redis.nodes().stream().filter(node -> node != from).findAny().orElseThrow();
    try (RedisStore store =
        RedisStore.builder().url(redis.url() + "?durabilityTimeout=60s").open()) {
      Deployment deployment = store.deployment();
      from.ask("HSET", session, "last", "6");
      assertThat(PartitionUser.await(deployment.confirm(noReplica, call))).containsOnlyNulls();

      Runnable end = redis.beginMigration(session, to);
      CompletableFuture<List<String>> confirmed = deployment.confirm(noReplica, call);
      Awaitility.await()
          .until(() -> String.valueOf(from.ask("INFO", "errorstats")).contains("errorstat_ASK"));
      assertThat(confirmed).isNotDone();
      end.run();

      assertThat(PartitionUser.await(confirmed)).containsOnlyNulls();
      assertThat(PartitionUser.await(deployment.confirm(noReplica, Witness.ofCall(session, 7))))
          .singleElement(STRING)
          .contains("does not have it any more");
    }
  }

  @Test
  @Tag("extended")
  void confirm_slotNeverStopsMoving_notConfirmedAfterTheTimeOut() {
    String session = "{punctual:" + newName() + ":0}:session:s";
    RedisProcess from = redis.primaryOf(session);
    RedisProcess to = redis.nodes().stream().filter(node -> node != from).findAny().orElseThrow();
    try (RedisStore store =
        RedisStore.builder().url(redis.url() + "?durabilityTimeout=300ms").open()) {
      from.ask("HSET", session, "last", "6");
      Runnable end = redis.beginMigration(session, to);
      assertThat(
              PartitionUser.await(
                  store.deployment().confirm(new Durability(false, 0), Witness.ofCall(session, 6))))
          .singleElement(STRING)
          .contains("not answered")
          .contains("ASK");
      end.run();
    }
  }
}
