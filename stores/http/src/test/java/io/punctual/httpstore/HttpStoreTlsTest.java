package io.punctual.httpstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.kit.redis.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests whom a client trusts. */
final class HttpStoreTlsTest {
  @TempDir private Path folder;

  @Test
  void certificate_ofOnesOwn_isTrustedOnlyIfItIsNamed() throws Exception {
    TlsFiles files = TlsFiles.in(folder);
    Path keyAndCertificate = folder.resolve("both.pem");
    Files.writeString(
        keyAndCertificate, Files.readString(files.key()) + Files.readString(files.certificate()));
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.setHttpsConfigurator(new HttpsConfigurator(context(files)));
    server.start();
    try {
      String url = "https://127.0.0.1:" + server.getAddress().getPort();
      assertThatThrownBy(() -> Punctual.open(url))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("?trustCertificates=FILE");
      // The server is trusted, and answers that it is no Punctual server.
      for (String option :
          new String[] {
            "trustCertificates=" + files.certificate(),
            "trustStore=" + files.trustStore() + "&trustStorePassword=" + TlsFiles.PASSWORD,
            "trustCertificates="
                + files.certificate()
                + "&clientCertificate="
                + files.certificate()
                + "&clientKey="
                + files.key(),
            "trustCertificates="
                + files.certificate()
                + "&clientCertificate="
                + files.certificate()
                + "&clientKey="
                + keyAndCertificate,
            "trustCertificates="
                + files.certificate()
                + "&keyStore="
                + files.keyStore()
                + "&keyStorePassword="
                + TlsFiles.PASSWORD
          }) {
        assertThatThrownBy(() -> Punctual.open(url + "?" + option))
            .as(option)
            .hasMessageContaining("answered 404");
      }
    } finally {
      server.stop(0);
    }
    assertThat(files.certificate()).exists();
  }

  private static SSLContext context(TlsFiles files) throws Exception {
    char[] password = TlsFiles.PASSWORD.toCharArray();
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(KeyStore.getInstance(files.keyStore().toFile(), password), password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
