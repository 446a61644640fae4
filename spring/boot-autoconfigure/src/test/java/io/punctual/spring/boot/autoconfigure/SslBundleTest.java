package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.harness.redis.FreePorts;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.lock.LockHandle;
import io.punctual.lock.RedisLocks;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A server that wants TLS and the certificate of the application, which an SSL bundle has. */
class SslBundleTest {
  private static final String PASSWORD = "password";

  @TempDir private static Path directory;
  private static RedisProcess redis;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    String keys = path("keys.p12");
    keytool("-genkeypair -alias key -keyalg EC -dname CN=localhost -ext san=dns:localhost", keys);
    keytool("-exportcert -rfc -alias key -file " + path("certificate.pem"), keys);
    keytool("-importcert -noprompt -alias ca -file " + path("certificate.pem"), path("trust.p12"));
    Files.writeString(directory.resolve("key.pem"), privateKey());
    port = FreePorts.next();
    redis =
        RedisProcess.builder()
            .config("tls-port", Integer.toString(port))
            .config("tls-cert-file", path("certificate.pem"))
            .config("tls-key-file", path("key.pem"))
            .config("tls-ca-cert-file", path("certificate.pem"))
            .start();
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
              "spring.ssl.bundle.jks.store.keystore.location=file:" + path("keys.p12"),
              "spring.ssl.bundle.jks.store.keystore.password=" + PASSWORD,
              "spring.ssl.bundle.jks.store.truststore.location=file:" + path("trust.p12"),
              "spring.ssl.bundle.jks.store.truststore.password=" + PASSWORD,
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

  private static String path(String name) {
    return directory.resolve(name).toString();
  }

  private static void keytool(String arguments, String keys) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    command.addAll(List.of("-keystore", keys, "-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static String privateKey() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(directory.resolve("keys.p12"))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    byte[] key = keys.getKey("key", PASSWORD.toCharArray()).getEncoded();
    return "-----BEGIN PRIVATE KEY-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key)
        + "\n-----END PRIVATE KEY-----\n";
  }
}
