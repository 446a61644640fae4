package io.punctual.kit.redis;

import io.punctual.kit.process.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/**
 * A key and its self-signed certificate for {@code localhost}, as files for a server and for its
 * Java clients, which share the key. Immutable.
 *
 * @param folder the folder of the files
 */
public record TlsFiles(Path folder) {
  /** The password of the key store and of the trust store. */
  public static final String PASSWORD = "password";

  /**
   * Creates the files in a folder, with the keytool of the JDK.
   *
   * @throws IllegalStateException if keytool fails; the message contains the output of keytool
   */
  public static TlsFiles in(Path folder) throws IOException {
    TlsFiles files = new TlsFiles(folder);
    keytool(
        files.keyStore(),
        "-genkeypair -alias key -keyalg EC -dname CN=localhost -ext bc=ca:true"
            + " -ext san=dns:localhost,ip:127.0.0.1");
    keytool(files.keyStore(), "-exportcert -rfc -alias key -file", files.certificate());
    keytool(files.trustStore(), "-importcert -noprompt -alias ca -file", files.certificate());
    Files.writeString(files.key(), files.pemOfKey());
    return files;
  }

  /** Returns the file with the key and its certificate, as PKCS 12. */
  public Path keyStore() {
    return folder.resolve("keys.p12");
  }

  /** Returns the file with the trusted certificate, as PKCS 12. */
  public Path trustStore() {
    return folder.resolve("trust.p12");
  }

  /** Returns the file with the certificate, as PEM. */
  public Path certificate() {
    return folder.resolve("certificate.pem");
  }

  /** Returns the file with the private key, as PEM. */
  public Path key() {
    return folder.resolve("key.pem");
  }

  /**
   * Returns a builder of a server with an additional port that requires TLS and a client
   * certificate.
   */
  public RedisProcess.Builder server(int tlsPort) {
    return RedisProcess.builder()
        .config("tls-port", Integer.toString(tlsPort))
        .config("tls-cert-file", certificate().toString())
        .config("tls-key-file", key().toString())
        .config("tls-ca-cert-file", certificate().toString());
  }

  private static void keytool(Path store, String arguments, Path... file) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments.split(" ")));
    Stream.of(file).map(Path::toString).forEach(all::add);
    all.addAll(List.of("-keystore", store.toString()));
    all.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Command.ofJdk("keytool", all).run();
  }

  private String pemOfKey() throws IOException {
    try (InputStream in = Files.newInputStream(keyStore())) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      byte[] key = keys.getKey("key", PASSWORD.toCharArray()).getEncoded();
      return "-----BEGIN PRIVATE KEY-----\n"
          + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key)
          + "\n-----END PRIVATE KEY-----\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The key can't be read from " + keyStore(), e);
    }
  }
}
