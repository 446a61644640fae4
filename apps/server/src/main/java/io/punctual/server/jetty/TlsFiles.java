package io.punctual.server.jetty;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of a server that speaks TLS, in PEM. Immutable.
 *
 * @param certificate the certificate and the chain behind it
 * @param key the private key, as PKCS 8 without a password
 * @param clientAuthorities the authorities whose client certificates are believed, or null
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientAuthorities) {
  static final String PASSWORD = "";

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");

  /**
   * Reads the certificate and its key.
   *
   * @throws IllegalArgumentException if a file can't be read or used; the message says why
   */
  KeyStore keyStore() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, PASSWORD.toCharArray());
      Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
      PrivateKey own = privateKey();
      checkPair(own, chain[0].getPublicKey());
      store.setKeyEntry("server", own, PASSWORD.toCharArray(), chain);
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "Can't use the certificate " + certificate + " with the key " + key + ": " + e, e);
    }
  }

  /**
   * Reads the authorities of client certificates.
   *
   * @throws IllegalArgumentException if the file can't be read or used; the message says why
   */
  @Nullable KeyStore trustStore() {
    if (clientAuthorities == null) {
      return null;
    }
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, PASSWORD.toCharArray());
      int number = 0;
      for (Certificate authority : certificates(clientAuthorities)) {
        store.setCertificateEntry("authority-" + number++, authority);
      }
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "Can't use the authorities of client certificates " + clientAuthorities + ": " + e, e);
    }
  }

  /**
   * Reads all files.
   *
   * @throws IllegalArgumentException if a file can't be read or used; the message says why
   */
  public void check() {
    keyStore();
    trustStore();
  }

  private static void checkPair(PrivateKey own, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm =
        switch (own.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "Ed25519";
        };
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(own);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    if (!signature.verify(signed)) {
      throw new GeneralSecurityException("the key is not the key of the certificate");
    }
  }

  private static List<Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      List<Certificate> found =
          new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(in));
      if (found.isEmpty()) {
        throw new GeneralSecurityException(file + " has no certificate");
      }
      return found;
    }
  }

  private PrivateKey privateKey() throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(Files.readString(key));
    if (!pem.find()) {
      throw new GeneralSecurityException(
          key
              + " has no unencrypted key of PKCS 8; openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW"
              + " converts one");
    }
    byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
    GeneralSecurityException failure =
        new GeneralSecurityException(key + " is no key of RSA, EC or Ed25519");
    for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (InvalidKeySpecException ofAnotherKind) {
        failure.addSuppressed(ofAnotherKind);
      }
    }
    throw failure;
  }
}
