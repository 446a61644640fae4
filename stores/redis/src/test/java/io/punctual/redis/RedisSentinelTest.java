package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class RedisSentinelTest {
  @Test
  void primary_killed_workersGoOnByThemselves() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        Punctual punctual = Punctual.open(redis.url() + "?durability=replicas:1")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      Set<String> done = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> done.add(delivery.id()));
      for (int i = 0; i < 20; i++) {
        queue.schedule("x", Duration.ofMillis(200L * i));
      }
      RedisProcess former = redis.primary();
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      Awaitility.await().until(() -> done.size() == 20);
      TimedQueue<String> anyHow = queue.withDurability(Durability.NONE);
      assertThat(anyHow.schedule("x", Duration.ZERO).id()).isNotEmpty();
    }
  }

  @Test
  @Tag("extended")
  void primary_replacedByAServerThatMayEvict_isReported() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        CapturedLog log = new CapturedLog();
        RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      RedisProcess former = redis.primary();
      redis.servers().stream()
          .filter(server -> server != former)
          .forEach(replica -> replica.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"));
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      Awaitility.await().until(() -> !log.linesWith("may evict").isEmpty());
      assertThat(log.linesWith("may evict"))
          .allSatisfy(line -> assertThat(line).contains("ERROR", "became a primary", "noeviction"));
      assertThat(store.describe()).isNotEmpty();
    }
  }

  @Test
  void primary_unknownToTheSentinels_refusedWithItsName() {
    try (RedisProcess sentinel = RedisProcess.builder().sentinel().start()) {
      String url = "redis-sentinel://127.0.0.1:" + sentinel.port() + "/nobody";
      assertThatThrownBy(() -> Punctual.open(url))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("nobody");
    }
  }

  @Test
  void sentinel_withPassword_answersWhoHasIt() {
    try (RedisProcess redis = RedisProcess.builder().config("requirepass", "secret").start();
        RedisProcess sentinel =
            RedisProcess.builder().sentinel().config("requirepass", "hush").start()) {
      String url = "redis-sentinel://:secret@127.0.0.1:" + sentinel.port() + "/orders?database=1";
      assertThatThrownBy(() -> Punctual.open(url)).isInstanceOf(PunctualException.class);
      sentinel.askAs("hush", "SENTINEL", "MONITOR", "orders", "127.0.0.1", "" + redis.port(), "1");
      Punctual.open(url + "&sentinelPassword=hush").close();
    }
  }
}
