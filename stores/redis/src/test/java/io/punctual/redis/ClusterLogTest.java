package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the log while a primary of a Cluster is away, and when it comes back. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class ClusterLogTest {
  private static final String QUICK = "?timeout=2s&connectTimeout=2s";

  private static RedisCluster start(String name, String value) {
    return RedisCluster.start(
        3,
        0,
        RedisProcess.builder().config("cluster-require-full-coverage", "no").config(name, value));
  }

  @Test
  @Tag("extended")
  void untilNext_onlySomePartitionsFail_isLoggedOnceAndItsEndOnce() {
    try (RedisCluster redis = start("maxmemory-policy", "noeviction");
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
  @Tag("extended")
  void primary_awayWhenTheStoreOpened_isCheckedWhenItAnswers() {
    expectError(
        start("maxmemory-policy", "allkeys-lru"),
        node -> node.ask("CONFIG", "SET", "maxmemory-policy", "noeviction"),
        "allkeys-lru",
        "noeviction");
  }

  @Test
  @Tag("extended")
  void primary_awayWhenTheStoreOpened_itsRightsAreCheckedWhenItAnswers() {
    expectError(
        start("user", "default on nopass ~* &* +@all -zrem"),
        node -> node.ask("ACL", "SETUSER", "default", "+zrem"),
        "no right to run ZREM",
        "ACL rights");
  }

  /**
   * Starts nodes with a wrong configuration, corrects all of them except a stopped node, and
   * expects an error in the log when this node answers again.
   */
  private static void expectError(
      RedisCluster unfit, Consumer<RedisProcess> mend, String error, String remedy) {
    try (RedisCluster redis = unfit) {
      RedisProcess away = redis.nodes().get(1);
      away.kill();
      redis.nodes().stream().filter(node -> node != away).forEach(mend);
      try (CapturedLog log = new CapturedLog();
          RedisStore store = RedisStore.builder().url(redis.url() + QUICK).open()) {
        assertThat(log.linesWith("could not be checked"))
            .filteredOn(line -> line.contains("(node 127.0.0.1:" + away.port() + ")"))
            .hasSize(1);
        away.restart();
        Awaitility.await().until(() -> !log.linesWith(error).isEmpty());
        assertThat(log.linesWith(error))
            .singleElement()
            .satisfies(line -> assertThat(line).contains("ERROR", ":" + away.port(), remedy));
        assertThat(store.describe()).isNotEmpty();
      }
    }
  }
}
