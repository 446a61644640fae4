package io.punctual.redis.client;

import io.lettuce.core.SslOptions;
import io.punctual.spi.StoreUrl;
import java.io.File;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The options of a URL with TLS that name files, which are Java key stores or PEM files, and the
 * passwords of the key stores.
 */
final class TlsOptions {
  private static final String TRUST_STORE = "trustStore";
  private static final String TRUST_STORE_PASSWORD = "trustStorePassword";
  private static final String KEY_STORE = "keyStore";
  private static final String KEY_STORE_PASSWORD = "keyStorePassword";
  private static final String TRUST_CERTIFICATES = "trustCertificates";
  private static final String CLIENT_CERTIFICATE = "clientCertificate";
  private static final String CLIENT_KEY = "clientKey";

  static final List<String> NAMES =
      List.of(
          TRUST_STORE,
          TRUST_STORE_PASSWORD,
          KEY_STORE,
          KEY_STORE_PASSWORD,
          TRUST_CERTIFICATES,
          CLIENT_CERTIFICATE,
          CLIENT_KEY);

  private final StoreUrl url;

  TlsOptions(StoreUrl url) {
    this.url = url;
  }

  /**
   * Returns the TLS options in the URL, or empty if it has none; TLS then uses Java's own trust
   * store.
   */
  Optional<SslOptions> sslOptions() {
    if (NAMES.stream().noneMatch(url.options()::containsKey)) {
      return Optional.empty();
    }
    SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider();
    url.option(TRUST_STORE)
        .ifPresent(name -> ssl.truststore(file(TRUST_STORE, name), password(TRUST_STORE_PASSWORD)));
    url.option(TRUST_CERTIFICATES)
        .ifPresent(name -> ssl.trustManager(file(TRUST_CERTIFICATES, name)));
    keys(ssl);
    return Optional.of(ssl.build());
  }

  private void keys(SslOptions.Builder ssl) {
    url.option(KEY_STORE)
        .ifPresent(
            name -> {
              String type = name.toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
              ssl.keyStoreType(type);
              ssl.keystore(file(KEY_STORE, name), password(KEY_STORE_PASSWORD).toCharArray());
            });
    if (url.option(CLIENT_CERTIFICATE).isPresent() != url.option(CLIENT_KEY).isPresent()) {
      throw new IllegalArgumentException(
          CLIENT_CERTIFICATE + " and " + CLIENT_KEY + " go together");
    }
    url.option(CLIENT_CERTIFICATE)
        .ifPresent(
            name ->
                ssl.keyManager(
                    file(CLIENT_CERTIFICATE, name),
                    file(CLIENT_KEY, url.option(CLIENT_KEY).orElseThrow()),
                    new char[0]));
  }

  private String password(String option) {
    return url.option(option).orElse("");
  }

  private static File file(String option, String name) {
    File file = new File(name);
    if (!file.canRead()) {
      throw new IllegalArgumentException(option + " names a file that can't be read: " + name);
    }
    return file;
  }
}
