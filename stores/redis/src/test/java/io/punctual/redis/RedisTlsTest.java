package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.kit.redis.FreePorts;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.TlsFiles;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a server that requires TLS and a certificate of the client. */
final class RedisTlsTest {
  @TempDir private static Path directory;
  private static TlsFiles files;
  private static RedisProcess redis;
  private static int port;

  @BeforeAll
  static void startServer() throws Exception {
    files = TlsFiles.in(directory);
    port = FreePorts.next();
    redis = files.server(port).start();
  }

  @AfterAll
  static void stopServer() {
    redis.close();
  }

  private static RedisStore open(String options) {
    return RedisStore.builder()
        .url("rediss://localhost:" + port + options + "&connectTimeout=20s")
        .open();
  }

  @Test
  void open_trustStoreAndKeyStore_works() {
    try (RedisStore store =
        open(
            "?trustStore="
                + files.trustStore()
                + "&trustStorePassword="
                + TlsFiles.PASSWORD
                + "&keyStore="
                + files.keyStore()
                + "&keyStorePassword="
                + TlsFiles.PASSWORD)) {
      PartitionUser user = new PartitionUser(store, "stores");
      user.schedule("a", 10);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(1);
      assertThat(store.describe()).isEqualTo("rediss://localhost:" + port);
    }
  }

  @Test
  void open_pemFiles_works() {
    try (RedisStore store =
        open(
            "?trustCertificates="
                + files.certificate()
                + "&clientCertificate="
                + files.certificate()
                + "&clientKey="
                + files.key())) {
      PartitionUser user = new PartitionUser(store, "pem");
      user.schedule("a", 10);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(1);
    }
  }

  @Test
  void open_serverNotTrusted_saysHowToTrustIt() {
    assertThatThrownBy(() -> open("?verifyPeer=full"))
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("the handshake of TLS failed", "trustCertificates or trustStore");
  }

  @Test
  void open_noClientCertificate_saysHowToNameOne() {
    assertThatThrownBy(() -> open("?trustCertificates=" + files.certificate()))
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("the handshake of TLS failed", "clientCertificate and clientKey");
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://%s", "redis://%s?proxy=true", "redis-cluster://%s"})
  void open_plainUrlOfAPortWithTls_saysThatThePortExpectsTls(String url) {
    assertMismatch(String.format(url, "localhost:" + port), "expects TLS", "rediss");
  }

  @Test
  void open_plainUrlOfSentinelsWithTls_saysThatThePortExpectsTls() {
    assertMismatch("redis-sentinel://localhost:" + port + "/primary", "expects TLS", "rediss");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rediss://%s", "rediss-cluster://%s", "rediss-sentinel://%s/primary"})
  void open_urlWithTlsOfAPlainPort_saysThatThePortHasNoTls(String url) {
    assertMismatch(
        String.format(url, "localhost:" + redis.port()), "has no TLS", "with redis, not");
  }

  private static void assertMismatch(String url, String... text) {
    String options = (url.contains("?") ? "&" : "?") + "connectTimeout=300ms&timeout=300ms";
    assertThatThrownBy(() -> RedisStore.builder().url(url + options).open())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll(text)
        .hasMessageContaining("localhost:");
  }
}
