package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Operation;
import io.punctual.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests the requirements that a store has of a server and its user, and the errors at opening. */
final class ServerRequirementsTest {
  private static final List<String> MINIMAL_RIGHTS =
      List.of(
          "on",
          ">secret",
          "resetkeys",
          "~{punctual:*",
          "~punctual:queues",
          "resetchannels",
          "&{punctual:*",
          "-@all",
          "+auth",
          "+ping",
          "+info",
          "+select",
          "+eval",
          "+evalsha",
          "+time",
          "+type",
          "+exists",
          "+del",
          "+unlink",
          "+expire",
          "+hget",
          "+hmget",
          "+hset",
          "+hdel",
          "+hlen",
          "+hstrlen",
          "+zadd",
          "+zrem",
          "+zremrangebyrank",
          "+zrange",
          "+zscore",
          "+zmscore",
          "+zcard",
          "+zcount",
          "+sadd",
          "+smembers",
          "+srem",
          "+smismember",
          "+publish",
          "+subscribe",
          "+unsubscribe",
          "+wait");

  @Test
  void aclUser_minimalRights_suffice() {
    try (RedisProcess redis = RedisProcess.start()) {
      List<String> setUser = new ArrayList<>(List.of("ACL", "SETUSER", "punctual"));
      setUser.addAll(MINIMAL_RIGHTS);
      redis.ask(setUser.toArray(String[]::new));
      try (RedisStore store =
          RedisStore.builder()
              .url("redis://punctual:secret@127.0.0.1:" + redis.port() + "?durability=replicas:0")
              .open()) {
        expectEverythingWorks(store);
      }
      assertThatThrownBy(
              () ->
                  RedisStore.builder()
                      .url("redis://punctual:wrong@127.0.0.1:" + redis.port())
                      .open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("WRONGPASS")
          .satisfies(thrown -> assertThat(thrown.getMessage()).doesNotContain("wrong@"));
    }
  }

  private static void expectEverythingWorks(Store store) {
    PartitionUser user = new PartitionUser(store, "q");
    List<Long> hints = new CopyOnWriteArrayList<>();
    try (var registration = user.partition().onWakeUp(hints::add)) {
      Awaitility.await().until(() -> !hints.isEmpty());
      assertThat(user.claim(1).messages()).isEmpty();
      hints.clear();
      user.apply(
          null,
          IntStream.range(0, 20)
              .mapToObj(i -> PartitionUser.scheduling("m" + i, PartitionUser.PAST, 10))
              .toArray(Operation[]::new));
      Awaitility.await().until(() -> !hints.isEmpty());
    }
    long token = user.claim(20).token();
    user.apply(
        null,
        new Operation.Ack("m0", token),
        new Operation.Retry("m1", token, PartitionUser.PAST, new byte[1]),
        new Operation.Bury("m2", token, new byte[1]),
        new Operation.Extend("m3", token, 1000),
        new Operation.Release("m4", token, null),
        new Operation.Cancel("m5"),
        new Operation.Cancel("m1"),
        new Operation.Redrive("m2"),
        new Operation.RunNow("m4"));
    await(user.partition().pause(true));
    await(user.partition().pause(false));
    assertThat(await(user.partition().find("m3"))).isPresent();
    assertThat(await(user.partition().browse(State.LEASED, null, 5)).next()).isNotNull();
    await(user.partition().forecast(0, 1000, 3));
    assertThat(await(store.untilNext(List.of(user.partition())))).hasSize(1);
    assertThat(await(store.queues())).containsExactly("q");
    assertThat(await(user.partition().purge(Set.of(State.values())))).isEqualTo(18);
    await(user.partition().closeSession("nobody"));
  }

  @Test
  void open_serverThatEvicts_refusedUnlessAllowed() {
    try (RedisProcess redis =
        RedisProcess.builder().config("maxmemory-policy", "allkeys-lru").start()) {
      assertThatThrownBy(() -> RedisStore.builder().url(redis.url()).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("allkeys-lru")
          .hasMessageContaining("allowEviction=true");
      try (RedisStore store =
          RedisStore.builder().url(redis.url() + "?allowEviction=true").open()) {
        assertThat(store.describe()).isEqualTo(redis.url());
      }
    }
  }

  @Test
  void open_serverOlderThanNeeded_refusedWithItsVersion() {
    try (OldServer old = new OldServer("6.0.16")) {
      assertThatThrownBy(() -> RedisStore.builder().url(old.url()).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("6.0")
          .hasMessageContaining("needs Redis 6.2");
    }
  }

  @Test
  void open_nobodyThere_saysSo() {
    RedisProcess redis = RedisProcess.start();
    redis.close();
    assertThatThrownBy(() -> RedisStore.builder().url(redis.url()).open())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining(redis.url());
  }

  @Test
  void open_replica_refused() {
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess replica = RedisProcess.builder().replicaOf(redis).start()) {
      assertThatThrownBy(() -> RedisStore.builder().url(replica.url()).open())
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("is a replica");
    }
  }

  @Test
  void resources_passedIn_usedAndLeftOpen() {
    ClientResources resources = DefaultClientResources.create();
    RedisClient client = RedisClient.create(resources);
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try {
      RedisStore store = RedisStore.builder().url(redis.url()).client(client).open();
      new PartitionUser(store, "q").schedule("a", 1);
      store.close();
      assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
      assertThat(client.getOptions().isAutoReconnect()).isTrue();
    } finally {
      client.shutdown();
      resources.shutdown();
    }
  }
}
