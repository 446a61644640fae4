package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.LockHandle;
import io.punctual.lock.RedisLocks;
import io.punctual.redis.RedisStore;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests the sources of a Redis store and of locks, on real servers. */
class RedisSourcesTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static RedisProcess redis;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class, DataRedisAutoConfiguration.class));

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Test
  void url_andProperties() {
    runner
        .withPropertyValues(
            "punctual.url=" + redis.url(),
            "punctual.redis.namespace=shop",
            "punctual.redis.command-timeout=20s")
        .run(
            context -> {
              context
                  .getBean(Punctual.class)
                  .queue("orders", Codec.string())
                  .schedule("x", Duration.ofHours(1));
              assertThat(String.valueOf(redis.ask("KEYS", "*"))).contains("shop");
            });
  }

  @Test
  void urlWithOptionsOfTheClient_isAccepted() throws InterruptedException {
    String url = redis.url() + "?blockingTimeout=20s&operationTimeout=1m";
    runner
        .withPropertyValues("punctual.url=" + url)
        .run(
            context -> {
              context.getBean(Punctual.class).queue("orders", Codec.string()).schedule("x", HOUR);
              try (LockHandle lock = context.getBean(RedisLocks.class).mutex("url").acquire()) {
                assertThat(lock.fencingToken()).isPositive();
              }
            });
    try (RedisLocks locks = RedisLocks.open(url)) {
      locks.mutex("url").acquire().close();
    }
  }

  @Test
  void urlWithOptionsOfTheClient_appliesThem() {
    runner
        .withPropertyValues("punctual.url=" + redis.url() + "?blockingTimeout=0s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("blockingTimeout must be"));
  }

  /** As everywhere, and not as the milliseconds that Spring Boot takes a number for. */
  @Test
  void urlWithATimeWithoutAUnit_isRefused() {
    runner
        .withPropertyValues("punctual.url=" + redis.url() + "?blockingTimeout=5")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(
                        "blockingTimeout must be a number with ms, s, m or h"));
  }

  @Test
  void schemeInUpperCase_hasTheProperties() {
    runner
        .withPropertyValues(
            "punctual.url=" + redis.url().replace("redis:", "REDIS:"),
            "punctual.redis.namespace=upper")
        .run(
            context -> {
              context.getBean(Punctual.class).queue("orders", Codec.string()).schedule("x", HOUR);
              assertThat(String.valueOf(redis.ask("KEYS", "upper*"))).contains("upper");
            });
  }

  @Test
  void locks_needNoRedisStore() {
    runner
        .withClassLoader(new FilteredClassLoader(RedisStore.class))
        .withPropertyValues(
            "punctual.url=memory:",
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port())
        .run(
            context -> {
              try (LockHandle lock = context.getBean(RedisLocks.class).mutex("alone").acquire()) {
                assertThat(lock.fencingToken()).isPositive();
              }
            });
  }

  @Test
  void dataRedis_isUsedWithoutAUrl() {
    runner
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.database=3")
        .run(
            context ->
                assertThat(context.getBean(Punctual.class).store())
                    .isEqualTo("redis://127.0.0.1:" + redis.port() + "/3"));
  }

  @Test
  void locks_useTheServerOfTheStore() {
    runner
        .withPropertyValues("punctual.url=" + redis.url())
        .run(
            context -> {
              try (LockHandle lock = context.getBean(RedisLocks.class).mutex("job").acquire()) {
                assertThat(lock.fencingToken()).isPositive();
              }
            });
  }

  @Test
  void locksWithoutRedis_failWhenTheyAreUsed() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class))
        .withPropertyValues("punctual.url=memory:")
        .run(
            context ->
                assertThatThrownBy(() -> context.getBean(RedisLocks.class))
                    .hasStackTraceContaining("Locks need Redis or Valkey"));
  }

  @Test
  void customizer_changesTheStore() {
    runner
        .withPropertyValues("punctual.url=" + redis.url())
        .withBean(
            RedisStoreBuilderCustomizer.class, () -> builder -> builder.namespace("customized"))
        .run(
            context -> {
              context
                  .getBean(Punctual.class)
                  .queue("orders", Codec.string())
                  .schedule("x", Duration.ofHours(1));
              assertThat(String.valueOf(redis.ask("KEYS", "customized*"))).contains("customized");
            });
  }

  @Test
  void container_replacesARedisUrl() {
    ServiceConnectionDetails container = redis::url;
    runner
        .withBean(ServiceConnectionDetails.class, () -> container)
        .withPropertyValues("punctual.url=redis://localhost:1")
        .run(
            context ->
                assertThat(context.getBean(Punctual.class).store())
                    .startsWith("redis://127.0.0.1:" + redis.port()));
  }

  @Test
  void locks_useTheClusterOfDataRedis() {
    try (RedisCluster cluster = RedisCluster.start(3, 0)) {
      String nodes =
          cluster.nodes().stream()
              .map(node -> "127.0.0.1:" + node.port())
              .collect(Collectors.joining(","));
      runner
          .withPropertyValues("punctual.url=memory:", "spring.data.redis.cluster.nodes=" + nodes)
          .run(
              context -> {
                RedisLocks locks = context.getBean(RedisLocks.class);
                for (int i = 0; i < 6; i++) {
                  try (LockHandle lock = locks.mutex("job-" + i).acquire()) {
                    assertThat(lock.fencingToken()).isPositive();
                  }
                }
              });
    }
  }
}
