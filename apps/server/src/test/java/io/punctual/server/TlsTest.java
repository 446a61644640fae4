package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.http.access.AccessToken;
import io.punctual.kit.redis.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls a server with TLS, with and without certificates of clients. */
class TlsTest {
  private final String token = AccessToken.generate("shop");

  @TempDir private static Path files;

  @TempDir private Path folder;

  private Runnable beforeHandshake = () -> {};
  private static TlsFiles server;
  private static TlsFiles client;
  private static TlsFiles stranger;

  @BeforeAll
  static void create() throws IOException {
    server = files("server");
    client = files("client");
    stranger = files("stranger");
  }

  private static TlsFiles files(String name) throws IOException {
    TlsFiles created = TlsFiles.in(Files.createDirectory(files.resolve(name)));
    TestServer.write(created.key(), Files.readString(created.key()));
    return created;
  }

  private String config(TlsFiles own) {
    return """
    tls:
      certificate: %s
      key: %s
      clientAuthorities: %s
    roles: {all: {observe: '*', consume: '*', produce: '*'}}
    tokens: [{id: shop, sha256: %s, role: all}]
    certificates: [{subject: CN=localhost, name: billing, role: all}]
    """
        .formatted(own.certificate(), own.key(), client.certificate(), AccessToken.sha256(token));
  }

  private RawClient connect(TestServer to, TlsFiles trusted, @Nullable TlsFiles own)
      throws Exception {
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(load(trusted.trustStore()));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own == null ? null : load(own.keyStore()), TlsFiles.PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), to.port());
    beforeHandshake.run();
    Socket socket = context.getSocketFactory().createSocket(plain, "127.0.0.1", to.port(), true);
    ((SSLSocket) socket).startHandshake();
    return RawClient.of(socket);
  }

  private static KeyStore load(Path file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, TlsFiles.PASSWORD.toCharArray());
    }
    return store;
  }

  @Test
  void aCallerHasATokenOrAKnownCertificate() throws Exception {
    try (TestServer running = TestServer.start(folder, config(server))) {
      String get = "GET /metrics HTTP/1.1";
      try (RawClient known = connect(running, server, client);
          RawClient nobody = connect(running, server, null)) {
        assertThat(known.request(get, "").status()).isEqualTo(200);
        assertThat(known.request(get + "\nAuthorization: Bearer wrong", "").status())
            .isEqualTo(401);
        assertThat(nobody.request(get, "").status()).isEqualTo(401);
        assertThat(nobody.request(get + "\nAuthorization: Bearer " + token, "").status())
            .isEqualTo(200);
      }
      assertThatThrownBy(
              () -> {
                try (RawClient other = connect(running, server, stranger)) {
                  other.request(get, "");
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aHandshakeThatTheWatchForSlowClientsSaw_stillHasItsCertificate() throws Exception {
    beforeHandshake = () -> LockSupport.parkNanos(1_200_000_000L);
    try (TestServer running = TestServer.start(folder, config(server));
        RawClient known = connect(running, server, client)) {
      assertThat(known.request("GET /metrics HTTP/1.1", "").status()).isEqualTo(200);
    }
  }

  @Test
  void aReloadUsesANewCertificate_andAWrongOneChangesNothing() throws Exception {
    TlsFiles next = stranger;
    try (TestServer running = TestServer.start(folder, config(server))) {
      assertThat(
              running.reload(
                  config(server).replace(server.key().toString(), next.key().toString())))
          .isFalse();
      try (RawClient connected = connect(running, server, client)) {
        assertThat(connected.request("GET /livez HTTP/1.1", "").status()).isEqualTo(200);
      }

      assertThat(running.reload(config(next))).isTrue();

      try (RawClient connected = connect(running, next, client)) {
        X509Certificate shown =
            (X509Certificate)
                ((SSLSocket) connected.socket()).getSession().getPeerCertificates()[0];
        assertThat(shown).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIN", "RST", "half-close"})
  void aPollerThatDies_holdsNoMessage(String way) throws Exception {
    try (TestServer running = TestServer.start(folder, config(server));
        RawClient living = connect(running, server, client);
        RawClient poller = connect(running, server, client)) {
      String json = "\nContent-Type: application/json";
      assertThat(
              living
                  .request(
                      "POST /v1/queues/mail/messages HTTP/1.1" + json,
                      "{\"id\":\"first\",\"payload\":1,\"delay\":\"0s\"}")
                  .status())
          .isEqualTo(201);
      String claim = "POST /v1/queues/mail/claims HTTP/1.1" + json;
      living.request(claim, "{\"max\":1,\"wait\":\"60s\"}");
      String body = "{\"max\":1,\"lease\":\"1h\",\"wait\":\"60s\"}";
      poller.send(
          (claim + "\nHost: localhost\nContent-Length: " + body.length() + "\n\n")
                  .replace("\n", "\r\n")
              + body);
      awaitRequests(living, 2);
      switch (way) {
        case "FIN" -> poller.close();
        case "RST" -> poller.reset();
        default -> poller.socket().shutdownOutput();
      }
      awaitRequests(living, 1);

      living.request(
          "POST /v1/queues/mail/messages HTTP/1.1" + json,
          "{\"id\":\"due\",\"payload\":1,\"delay\":\"0s\"}");

      assertThat(living.request(claim, "{\"max\":1,\"wait\":\"60s\"}").text())
          .contains("\"id\":\"due\"", "\"attempt\":1");
    }
  }

  private static void awaitRequests(RawClient client, int number) {
    await()
        .until(
            () ->
                client
                    .request("GET /metrics HTTP/1.1", "")
                    .text()
                    .contains("punctual_http_requests " + number + ".0"));
  }
}
