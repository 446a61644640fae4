package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.ConnectionFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections verify the certificate of the broker. Some versions of RabbitMQ's client trust
 * every certificate unless the factory has an {@link SSLContext} of the application. A factory does
 * not tell whom it trusts, so a handshake with a certificate that nobody should trust finds out.
 */
public final class VerifiedTls {
  private static final Logger log = LoggerFactory.getLogger(VerifiedTls.class);
  private static final int MILLIS = 5_000;

  /** The key of a certificate for {@code nobody.invalid}, which signed itself and has expired. */
  private static final String KEY =
      "MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCAEk8ffkp6GRDLSExeDQXowWFX4OxJnL5zIFIbqHU83FQ==";

  private static final String CERTIFICATE =
      "MIIBSDCB8KADAgECAgkAsg8Nc1XonikwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAxMObm9ib2R5Lmlu"
          + "dmFsaWQwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAZMRcwFQYDVQQDEw5ub2JvZHku"
          + "aW52YWxpZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDtmqssvw3rW0VzkbMve1CVfv8fHmkQ3"
          + "R438l/GkdgWlfvLOXgk0nRSg4HjZXGaXWRYne96ljjkF8mPfFpRBp4+jITAfMB0GA1UdDgQWBBQO"
          + "JgiTFldF7vNokAt7bix6ccktMTAKBggqhkjOPQQDAgNHADBEAiBuSmX3SaIjxBYj7/hOshrMSUMz"
          + "tRddov2aLriq2flKFAIgOq2LJmBC2Lrk+KYMRd4IrGizAGNHvk1YCdH9nJ8/8gI=";

  private VerifiedTls() {}

  /**
   * Changes a factory that trusts every certificate: it then trusts whom the JVM trusts, and
   * verifies the name of the host. Other factories stay as they are.
   *
   * @param name the name of the connections, for the log
   */
  public static void apply(ConnectionFactory factory, String name) {
    if (!(factory.getSocketFactory() instanceof SSLSocketFactory sockets)
        || !trustsEverything(sockets)) {
      return;
    }
    try {
      factory.useSslProtocol(SSLContext.getDefault());
      factory.enableHostnameVerification();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The JVM has no default SSLContext", e);
    }
    log.info(
        "{}: the connection factory trusts every certificate, so the certificates that the JVM"
            + " trusts replace this, and the name of the host is verified. To trust others, call"
            + " useSslProtocol(SSLContext) of the factory",
        name);
  }

  /** Returns whether these sockets accept the certificate of a server on this machine. */
  private static boolean trustsEverything(SSLSocketFactory sockets) {
    try (SSLServerSocket server = server();
        Socket client = sockets.createSocket()) {
      Thread peer = new Thread(() -> shakeHands(server), "punctual-tls-check");
      peer.setDaemon(true);
      peer.start();
      client.connect(server.getLocalSocketAddress(), MILLIS);
      client.setSoTimeout(MILLIS);
      ((SSLSocket) client).startHandshake();
      return true;
    } catch (IOException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM can't create a TLS server", e);
    }
  }

  private static SSLServerSocket server() throws IOException, GeneralSecurityException {
    Base64.Decoder base64 = Base64.getDecoder();
    Certificate certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(base64.decode(CERTIFICATE)));
    PrivateKey key =
        KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(base64.decode(KEY)));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("server", key, new char[0], new Certificate[] {certificate});
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return (SSLServerSocket)
        context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static void shakeHands(SSLServerSocket server) {
    try (SSLSocket accepted = (SSLSocket) server.accept()) {
      accepted.setSoTimeout(MILLIS);
      accepted.startHandshake();
    } catch (IOException e) {
      // The client does not trust the certificate, as it should.
    }
  }
}
