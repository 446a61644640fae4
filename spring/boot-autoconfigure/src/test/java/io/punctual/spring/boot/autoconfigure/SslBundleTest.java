package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.redis.FreePorts;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.TlsFiles;
import io.punctual.lock.LockHandle;
import io.punctual.lock.RedisLocks;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Tests a server that requires TLS and a certificate of the client. The SSL bundle of the
 * application contains the certificate.
 */
class SslBundleTest {
  @TempDir private static Path directory;
  private static TlsFiles files;
  private static RedisProcess redis;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    files = TlsFiles.in(directory);
    port = FreePorts.next();
    redis = files.server(port).start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class,
                  DataRedisAutoConfiguration.class,
                  SslAutoConfiguration.class))
          .withPropertyValues(
              "spring.ssl.bundle.jks.store.keystore.location=file:" + files.keyStore(),
              "spring.ssl.bundle.jks.store.keystore.password=" + TlsFiles.PASSWORD,
              "spring.ssl.bundle.jks.store.truststore.location=file:" + files.trustStore(),
              "spring.ssl.bundle.jks.store.truststore.password=" + TlsFiles.PASSWORD,
              "punctual.redis.connect-timeout=20s");

  @Test
  void bundleOfPunctual_isUsedByTheStoreAndTheLocks() {
    runner
        .withPropertyValues(
            "punctual.url=rediss://localhost:" + port, "punctual.redis.ssl.bundle=store")
        .run(SslBundleTest::useStoreAndLocks);
  }

  @Test
  void bundleOfSpringData_isUsedByTheStoreAndTheLocks() {
    runner
        .withPropertyValues(
            "spring.data.redis.host=localhost",
            "spring.data.redis.port=" + port,
            "spring.data.redis.ssl.bundle=store")
        .run(SslBundleTest::useStoreAndLocks);
  }

  @Test
  void withoutABundle_theServerIsNotTrusted() {
    runner
        .withPropertyValues("punctual.url=rediss://localhost:" + port)
        .run(context -> assertThat(context).hasFailed());
  }

  @Test
  void bundleWithAUrlWithoutTls_isRefused() {
    runner
        .withPropertyValues(
            "punctual.url=redis://localhost:" + redis.port(), "punctual.redis.ssl.bundle=store")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("use rediss:, or remove punctual.redis.ssl.bundle"));
  }

  private static void useStoreAndLocks(AssertableApplicationContext context) throws Exception {
    assertThat(context).hasNotFailed();
    var queue = context.getBean(Punctual.class).queue("orders", Codec.string());
    queue.schedule("x", Duration.ofHours(1));
    assertThat(queue.counts().scheduled()).isPositive();
    try (LockHandle lock = context.getBean(RedisLocks.class).mutex("job").acquire()) {
      assertThat(lock.fencingToken()).isPositive();
    }
  }
}
