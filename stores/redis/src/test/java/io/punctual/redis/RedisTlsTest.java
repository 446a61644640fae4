package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.harness.redis.FreePorts;
import io.punctual.harness.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that wants TLS and the client's certificate. */
final class RedisTlsTest {
  private static final String PASSWORD = "password";

  @TempDir private static Path directory;
  private static RedisProcess redis;
  private static int port;

  @BeforeAll
  static void startServer() throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        "key",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        "san=dns:localhost,ip:127.0.0.1",
        "-ext",
        "bc=ca:true",
        "-keystore",
        path("keys.p12"));
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "key",
        "-keystore",
        path("keys.p12"),
        "-file",
        path("certificate.pem"));
    keytool(
        "-importcert",
        "-noprompt",
        "-alias",
        "ca",
        "-keystore",
        path("trust.p12"),
        "-file",
        path("certificate.pem"));
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
  static void stopServer() {
    redis.close();
  }

  private static String path(String name) {
    return directory.resolve(name).toString();
  }

  private static void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
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
                + path("trust.p12")
                + "&trustStorePassword="
                + PASSWORD
                + "&keyStore="
                + path("keys.p12")
                + "&keyStorePassword="
                + PASSWORD)) {
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
                + path("certificate.pem")
                + "&clientCertificate="
                + path("certificate.pem")
                + "&clientKey="
                + path("key.pem"))) {
      PartitionUser user = new PartitionUser(store, "pem");
      user.schedule("a", 10);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(1);
    }
  }

  @Test
  void open_serverNotTrusted_refused() {
    assertThatThrownBy(() -> open("?verifyPeer=full")).isInstanceOf(PunctualException.class);
  }

  @Test
  void open_noClientCertificate_refused() {
    assertThatThrownBy(() -> open("?trustCertificates=" + path("certificate.pem")))
        .isInstanceOf(PunctualException.class);
  }
}
