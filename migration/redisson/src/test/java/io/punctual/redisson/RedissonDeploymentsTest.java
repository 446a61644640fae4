package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.ReadyList;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;

/** Imports from a Cluster, and from the primary behind Sentinels. */
final class RedissonDeploymentsTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  @Test
  void cluster_isImportedOverItsNodes_andFollowSeesTheSubscribers() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(3, 0);
        Punctual punctual = Punctual.open("memory:")) {
      for (String name : new String[] {"orders", "other", "a {tag} b"}) {
        TimedQueue<String> queue = punctual.queue("q" + name.length(), Codec.string());
        RedissonImport<String> importer =
            RedissonImport.from(cluster.url())
                .queue(name)
                .to(queue, RedissonPayloads.string())
                .ready(ReadyList.MOVE)
                .quietPeriod(Duration.ofMillis(100))
                .follow(true);
        CompletableFuture<ImportReport> running;
        try (DelayedQueues<String> redisson =
            new DelayedQueues<>(config(cluster), name, StringCodec.INSTANCE)) {
          redisson.offer("delayed", HOUR);
          redisson.ready.add("ready");
          running = CompletableFuture.supplyAsync(importer::run);
          Awaitility.await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> queue.counts().pending() == 2);
          redisson.offer("later", HOUR);
          Awaitility.await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> queue.counts().pending() == 3);
          assertThat(running).as("followed while a client is subscribed").isNotDone();
        }
        assertThat(running.get(30, TimeUnit.SECONDS).isClean()).isTrue();
      }
      for (RedisProcess node : cluster.nodes()) {
        assertThat(node.ask("DBSIZE")).isEqualTo(0L);
      }
    }
  }

  private static Config config(RedisCluster cluster) {
    Config config = new Config();
    ClusterServersConfig servers = config.useClusterServers();
    cluster.nodes().forEach(node -> servers.addNodeAddress(node.url()));
    return config;
  }

  @Test
  void sentinels_nameThePrimary_andAnImportContinuesAfterAFailOver() {
    try (RedisSentinels sentinels = RedisSentinels.start(1);
        Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      try (DelayedQueues<String> redisson =
          DelayedQueues.ofStrings(sentinels.primary().url(), "orders")) {
        redisson.offer("one", HOUR);
        redisson.offer("{\"two\":2}", HOUR);
      }
      ImportReport first =
          RedissonImport.from(sentinels.url())
              .queue("orders")
              .to(queue, RedissonPayloads.json(Codec.string()))
              .run();
      assertThat(first.scheduled()).isEqualTo(1);
      assertThat(first.left()).isEqualTo(1);
      sentinels.awaitReplicas(1);
      RedisProcess unused = sentinels.failOver();

      ImportReport second =
          RedissonImport.from(sentinels.url())
              .queue("orders")
              .to(queue, RedissonPayloads.string())
              .run();

      assertThat(second.isClean()).isTrue();
      assertThat(second.scheduled()).isEqualTo(1);
      assertThat(queue.counts().scheduled()).isEqualTo(2);
    }
  }
}
