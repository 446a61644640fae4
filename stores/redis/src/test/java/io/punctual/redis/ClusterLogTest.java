package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.harness.redis.RedisCluster;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log while a primary of a Cluster is away, and when it comes back. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class ClusterLogTest {
  private static final String QUICK = "?timeout=2s&connectTimeout=2s";

  private static RedisCluster start(String policy) {
    return RedisCluster.start(
        3,
        0,
        RedisProcess.builder()
            .config("cluster-require-full-coverage", "no")
            .config("maxmemory-policy", policy));
  }

  @Test
  void untilNext_onlySomePartitionsFail_isLoggedOnceAndItsEndOnce() {
    try (RedisCluster redis = start("noeviction");
        RedisStore store = RedisStore.builder().url(redis.url() + QUICK).partitions(16).open();
        CapturedLog log = new CapturedLog()) {
      List<Partition> partitions = await(store.partitions("q"));
      await(store.untilNext(partitions));
      redis.nodes().get(1).kill();
      await(store.untilNext(partitions));
      await(store.untilNext(partitions));
      assertThat(log.linesWith("safety check"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("WARN", "of 16 partitions"));
      redis.nodes().get(1).restart();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                await(store.untilNext(partitions));
                return log.linesWith("safety check").size() > 1;
              });
      assertThat(log.linesWith("safety check")).hasSize(2);
      assertThat(log.linesWith("safety check").get(1)).contains("INFO", "again");
    }
  }

  @Test
  void primary_awayWhenTheStoreOpened_isCheckedWhenItAnswers() {
    try (RedisCluster redis = start("allkeys-lru")) {
      RedisProcess away = redis.nodes().get(1);
      away.kill();
      for (RedisProcess node : redis.nodes()) {
        if (node != away) {
          node.ask("CONFIG", "SET", "maxmemory-policy", "noeviction");
        }
      }
      try (CapturedLog log = new CapturedLog();
          RedisStore store = RedisStore.builder().url(redis.url() + QUICK).open()) {
        assertThat(log.linesWith("could not be checked")).hasSize(1);
        away.restart();
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> !log.linesWith("allkeys-lru").isEmpty());
        assertThat(log.linesWith("allkeys-lru"))
            .singleElement()
            .satisfies(line -> assertThat(line).contains("ERROR", ":" + away.port(), "noeviction"));
        assertThat(store.describe()).isNotEmpty();
      }
    }
  }
}
