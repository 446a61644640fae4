package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.Startup;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests clients that are opened before their servers. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class LateStartTest {
  private static PunctualBuilder background(String url) {
    return Punctual.builder().url(url).startup(Startup.BACKGROUND);
  }

  /** Uses a client while the servers are down, and again after they were started. */
  private static void assertWorksOnceThereIsAServer(Punctual punctual, Runnable startServers) {
    assertThat(punctual.status().reachable()).isFalse();
    assertThat(punctual.status().lastFailure()).isPresent();
    List<String> handled = new CopyOnWriteArrayList<>();
    TimedQueue<String> queue = punctual.queue("orders", Codec.string());
    queue.work(delivery -> handled.add(delivery.payload()));
    TimedQueue<String> hasty = queue.withTimeout(Duration.ofMillis(300));
    assertThatThrownBy(() -> hasty.schedule("refused", Duration.ZERO))
        .isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(hasty::counts)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("not open yet");
    assertThatThrownBy(() -> punctual.ping(Duration.ofSeconds(1)))
        .isInstanceOf(StoreUnavailableException.class);
    CompletableFuture<?> patient =
        queue.async().schedule(Message.of("patient").id("a")).toCompletableFuture();

    startServers.run();

    assertThat(patient).succeedsWithin(Duration.ofSeconds(60));
    Awaitility.await().untilAsserted(() -> assertThat(handled).containsExactly("patient"));
    // The nodes of a Cluster on a busy machine may lose sight of each other for a while.
    Awaitility.await().until(() -> punctual.status().reachable());
    assertThat(punctual.ping(Duration.ofSeconds(60))).isPositive();
    queue.async().schedule("later", Duration.ofMillis(1)).toCompletableFuture().join();
    Awaitility.await().untilAsserted(() -> assertThat(handled).containsExactly("patient", "later"));
  }

  @Test
  void background_serverStartsLate_queuesWorkOnceItIsThere() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      try (Punctual punctual = background(redis.url()).build()) {
        assertWorksOnceThereIsAServer(punctual, redis::restart);
      }
    }
  }

  @Test
  @Tag("extended")
  void background_sentinelsStartLate_queuesWorkOnceTheyAreThere() {
    try (RedisSentinels redis = RedisSentinels.start(0)) {
      redis.sentinels().forEach(RedisProcess::kill);
      try (Punctual punctual = background(redis.url()).build()) {
        assertWorksOnceThereIsAServer(
            punctual, () -> redis.sentinels().forEach(RedisProcess::restart));
      }
    }
  }

  @Test
  void background_clusterStartsLate_newQueueHasThePartitionsOfACluster() {
    try (RedisCluster redis = RedisCluster.start(3, 0)) {
      redis.nodes().forEach(RedisProcess::kill);
      try (Punctual punctual = background(redis.url()).build()) {
        TimedQueue<String> two = punctual.queue("two", Codec.string(), 2);
        assertWorksOnceThereIsAServer(
            punctual,
            () -> {
              redis.nodes().forEach(RedisProcess::restart);
              redis.awaitWell();
            });
        assertThat(punctual.queue("orders", Codec.string()).partitions()).isEqualTo(8);
        two.schedule("later", Duration.ofHours(1));
        Awaitility.await().untilAsserted(() -> assertThat(two.partitions()).isEqualTo(2));
      }
    }
  }

  @Test
  void wait_serverStartsLate_opensWhenItIsThere() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      CompletableFuture<Punctual> opening =
          CompletableFuture.supplyAsync(
              () -> Punctual.builder().url(redis.url()).startup(Startup.WAIT).build());
      assertThat(opening).isNotDone();
      redis.restart();
      assertThat(opening).succeedsWithin(Duration.ofSeconds(60));
      try (Punctual punctual = opening.join()) {
        assertThat(punctual.ping(Duration.ofSeconds(60))).isPositive();
        assertThat(punctual.status().lastFailure()).isEmpty();
      }
    }
  }

  @Test
  void wait_noServer_throwsTheLastFailureInTime() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      PunctualBuilder builder =
          Punctual.builder()
              .url(redis.url())
              .startup(Startup.WAIT)
              .startupTimeout(Duration.ofMillis(400));
      assertThatThrownBy(builder::build)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("could not be opened within 400 ms")
          .hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void background_unknownOption_throwsAtOnce() {
    PunctualBuilder builder = background("redis://user:secret@127.0.0.1:1?colour=red");
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colour");
  }

  @Test
  void background_passwordInTheUrl_isNotShown() {
    try (Punctual punctual = background("redis://user:secret@127.0.0.1:1").build()) {
      assertThat(punctual.toString()).contains("127.0.0.1:1").doesNotContain("secret");
      assertThatThrownBy(punctual::queues)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("127.0.0.1:1")
          .hasMessageNotContaining("secret");
    }
  }
}
