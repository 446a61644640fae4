package io.punctual.httpstore.client;

import io.punctual.spi.StoreUrl;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The options of a URL that name files of certificates and keys. */
public final class TlsTrust {
  private static final String TRUST_STORE = "trustStore";
  private static final String TRUST_STORE_PASSWORD = "trustStorePassword";
  private static final String KEY_STORE = "keyStore";
  private static final String KEY_STORE_PASSWORD = "keyStorePassword";
  private static final String TRUST_CERTIFICATES = "trustCertificates";
  private static final String CLIENT_CERTIFICATE = "clientCertificate";
  private static final String CLIENT_KEY = "clientKey";

  /** The key in its file, which can have certificates too. */
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");

  /** The names of these options. */
  public static final List<String> NAMES =
      List.of(
          TRUST_STORE,
          TRUST_STORE_PASSWORD,
          KEY_STORE,
          KEY_STORE_PASSWORD,
          TRUST_CERTIFICATES,
          CLIENT_CERTIFICATE,
          CLIENT_KEY);

  private final StoreUrl url;

  private TlsTrust(StoreUrl url) {
    this.url = url;
  }

  /**
   * Returns the context of the options, or empty if the URL has none of them.
   *
   * @throws IllegalArgumentException if a file can't be used; the message names it
   */
  public static Optional<SSLContext> of(StoreUrl url) {
    return NAMES.stream().noneMatch(url.options()::containsKey)
        ? Optional.empty()
        : Optional.of(new TlsTrust(url).context());
  }

  private SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(), trust(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("The options of TLS can't be used: " + e.getMessage(), e);
    }
  }

  private TrustManager @Nullable [] trust() throws GeneralSecurityException, IOException {
    KeyStore trusted;
    if (url.option(TRUST_STORE).isPresent()) {
      trusted = store(TRUST_STORE, TRUST_STORE_PASSWORD);
    } else if (url.option(TRUST_CERTIFICATES).isPresent()) {
      trusted = empty();
      int number = 0;
      for (Certificate each : certificates(TRUST_CERTIFICATES)) {
        trusted.setCertificateEntry("ca" + number++, each);
      }
    } else {
      return null;
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return factory.getTrustManagers();
  }

  private KeyManager @Nullable [] keys() throws GeneralSecurityException, IOException {
    char[] password = url.option(KEY_STORE_PASSWORD).orElse("").toCharArray();
    KeyStore keys;
    if (url.option(CLIENT_CERTIFICATE).isPresent() != url.option(CLIENT_KEY).isPresent()) {
      throw new IllegalArgumentException(
          CLIENT_CERTIFICATE + " and " + CLIENT_KEY + " go together");
    }
    if (url.option(KEY_STORE).isPresent()) {
      keys = store(KEY_STORE, KEY_STORE_PASSWORD);
    } else if (url.option(CLIENT_KEY).isPresent()) {
      keys = empty();
      Certificate[] chain = certificates(CLIENT_CERTIFICATE).toArray(new Certificate[0]);
      keys.setKeyEntry("key", key(chain[0]), password, chain);
    } else {
      return null;
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, password);
    return factory.getKeyManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private KeyStore store(String option, String password)
      throws GeneralSecurityException, IOException {
    return KeyStore.getInstance(
        file(option).toFile(), url.option(password).orElse("").toCharArray());
  }

  private Collection<? extends Certificate> certificates(String option)
      throws GeneralSecurityException, IOException {
    Collection<? extends Certificate> all =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file(option))));
    if (all.isEmpty()) {
      throw new IllegalArgumentException(option + " names a file without certificates");
    }
    return all;
  }

  private PrivateKey key(Certificate certificate) throws GeneralSecurityException, IOException {
    Matcher key = KEY.matcher(Files.readString(file(CLIENT_KEY), StandardCharsets.US_ASCII));
    if (!key.find()) {
      throw new IllegalArgumentException(
          CLIENT_KEY + " must be a key in PKCS 8 without a password (BEGIN PRIVATE KEY)");
    }
    return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1))));
  }

  private Path file(String option) {
    Path file = Path.of(url.option(option).orElseThrow());
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(option + " names a file that can't be read: " + file);
    }
    return file;
  }
}
