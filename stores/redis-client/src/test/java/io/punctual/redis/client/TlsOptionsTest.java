package io.punctual.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.SslOptions;
import io.punctual.spi.StoreUrl;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the files that a URL with TLS names. */
final class TlsOptionsTest {
  @TempDir private Path folder;

  private Optional<SslOptions> options(String options) {
    return new TlsOptions(StoreUrl.parse("rediss://host?" + options)).sslOptions();
  }

  private Path store(String name, String type) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(type);
    store.load(null, null);
    Path file = folder.resolve(name);
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, "changeit".toCharArray());
    }
    return file;
  }

  @Test
  void sslOptions_noFiles_isEmpty() {
    assertThat(options("namespace=a")).isEmpty();
    assertThat(new TlsOptions(StoreUrl.parse("rediss://host")).sslOptions()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"trustStore", "trustCertificates", "keyStore"})
  void sslOptions_fileIsMissing_isRefusedAndNamesOptionAndFile(String option) {
    assertThatThrownBy(() -> options(option + "=" + folder.resolve("missing.pem")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(option + " names a file that can't be read", "missing.pem");
  }

  @ParameterizedTest
  @ValueSource(strings = {"clientCertificate", "clientKey"})
  void sslOptions_halfOfAPair_isRefused(String option) throws IOException {
    Path file = Files.createFile(folder.resolve("file.pem"));
    assertThatThrownBy(() -> options(option + "=" + file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("clientCertificate and clientKey go together");
  }

  @ParameterizedTest
  @ValueSource(strings = {"keys.jks", "KEYS.JKS", "keys.p12", "keys.pfx"})
  void sslOptions_keyStoreOfEitherType_isRead(String name) throws Exception {
    String type = name.toLowerCase(Locale.ROOT).endsWith("jks") ? "JKS" : "PKCS12";
    Path file = store(name, type);
    SslOptions options = options("keyStore=" + file + "&keyStorePassword=changeit").orElseThrow();
    assertThat(options.createSslContextBuilder().build().isClient()).isTrue();
  }

  @Test
  void sslOptions_keyStoreWithAWrongPassword_failsWhenItIsRead() throws Exception {
    Path file = store("keys.p12", "PKCS12");
    SslOptions options = options("keyStore=" + file + "&keyStorePassword=wrong").orElseThrow();
    assertThatThrownBy(options::createSslContextBuilder).isInstanceOf(IOException.class);
  }

  @Test
  void applyTo_plainScheme_refusesTlsOptions() {
    assertThatThrownBy(
            () ->
                new RedisUrl(StoreUrl.parse("redis://host?trustStore=a"))
                    .applyTo(new RedisOptions()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trustStore");
  }
}
