package io.punctual.httpstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.httpstore.service.Access;
import io.punctual.memory.MemoryStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each cause of a failure is told, with the remedy and without secrets. */
final class HttpStoreErrorsTest {
  private static final String SECRET = "pnc_1_secret";

  @TempDir private Path folder;
  private final TestServer server = TestServer.of(MemoryStore.builder().build());

  @AfterEach
  void stop() {
    server.close();
  }

  private String url(String token) {
    return "http://token:" + token + "@127.0.0.1:" + server.port();
  }

  private void onlyWithTheSecret() {
    server.callers(header -> header.equals("Bearer " + SECRET) ? Access.ALL : null);
  }

  @Test
  void token_inUrl_isSentAndNeverShown() {
    onlyWithTheSecret();
    try (Punctual punctual = Punctual.open(url(SECRET))) {
      punctual.queue("orders", Codec.string()).schedule("a", Duration.ZERO);
      assertThat(punctual.store()).isEqualTo("http://127.0.0.1:" + server.port());
      assertThat(punctual.toString()).doesNotContain(SECRET);
    }
  }

  @Test
  void token_missingOrWrong_isToldWithTheRemedy() {
    onlyWithTheSecret();
    assertThatThrownBy(() -> Punctual.open(server.url()))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("token is missing or unknown");
    assertThatThrownBy(() -> Punctual.open(url("wrong")))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageNotContaining("wrong@");
  }

  @Test
  void token_inFile_isReadAgainAfterItsReplacement() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), SECRET + "\n");
    onlyWithTheSecret();
    try (Punctual punctual = Punctual.open(server.url() + "?tokenFile=" + file)) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule("a", Duration.ofHours(1));
      server.callers(header -> header.equals("Bearer next") ? Access.ALL : null);
      assertThatThrownBy(() -> queue.schedule("b", Duration.ofHours(1)))
          .isInstanceOf(StoreRefusedException.class);
      Files.writeString(file, "next");
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> !queue.schedule("c", Duration.ofHours(1)).id().isEmpty());
    }
  }

  /** The new token is in the file before the server refuses the old one. */
  @Test
  void token_replacedInTime_failsNothing() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), SECRET);
    onlyWithTheSecret();
    try (Punctual punctual = Punctual.open(server.url() + "?tokenFile=" + file)) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      String id = queue.schedule("a", Duration.ofHours(1)).id();
      for (String next : List.of("second", "third", "fourth")) {
        Files.writeString(file, next);
        server.callers(header -> header.equals("Bearer " + next) ? Access.ALL : null);
        switch (next) {
          case "second" -> assertThat(queue.find(id)).isPresent();
          case "third" -> assertThat(queue.schedule("b", Duration.ofHours(1)).id()).isNotEmpty();
          default -> assertThat(queue.claim(1, Duration.ZERO)).isEmpty();
        }
      }
      assertThat(queue.counts().scheduled()).isEqualTo(2);
    }
  }

  @Test
  void right_missing_isToldWithTheQueue() {
    server.callers(
        header ->
            new Access() {
              @Override
              public boolean may(String queue) {
                return queue.startsWith("a.");
              }

              @Override
              public Collection<String> prefixes() {
                return List.of("a.");
              }

              @Override
              public String name() {
                return "billing";
              }
            });
    try (Punctual punctual = Punctual.open(server.url())) {
      punctual.queue("a.orders", Codec.string()).schedule("a", Duration.ofHours(1));
      assertThatThrownBy(() -> punctual.queue("b.orders", Codec.string()))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("billing lacks the right STORE to queue 'b.orders'");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, text/html, web page",
    "200, application/json, not a Punctual server",
    "302, text/html, redirection to https://login.example",
    "401, text/html, token",
    "403, application/problem+json, right STORE",
    "404, text/html, no Punctual server at this address",
    "404, application/problem+json, no HTTP store of this version",
    "405, text/plain, no Punctual server at this address",
    "413, text/html, too large",
    "421, application/problem+json, host name",
    "429, application/problem+json, too many requests",
    "400, text/plain, write https",
    "502, text/html, by a proxy",
    "500, text/html, by a proxy"
  })
  void answer_ofAnotherProgram_isTold(int status, String type, String said) throws IOException {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    other.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.getResponseHeaders().set("Location", "https://login.example");
          byte[] body = "<html>".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    other.start();
    try {
      assertThatThrownBy(() -> Punctual.open("http://127.0.0.1:" + other.getAddress().getPort()))
          .isInstanceOfAny(StoreRefusedException.class, StoreUnavailableException.class)
          .hasMessageContaining(said)
          .hasMessageContaining("http://127.0.0.1:");
    } finally {
      other.stop(0);
    }
  }

  @Test
  void server_away_isToldWithItsAddress() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertThatThrownBy(() -> Punctual.open("http://127.0.0.1:" + port))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("http://127.0.0.1:" + port + " can't be reached: connection refused");
    assertThatThrownBy(() -> Punctual.open("http://no-such-host.invalid"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining(
            "no-such-host.invalid can't be reached: the host name has no address");
  }

  @Test
  void https_toPlainPort_isTold() throws IOException {
    try (ServerSocket plain = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread answers = new Thread(() -> answerPlain(plain), "plain");
      answers.setDaemon(true);
      answers.start();
      assertThatThrownBy(() -> Punctual.open("https://127.0.0.1:" + plain.getLocalPort()))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("write http, not https");
    }
  }

  private static void answerPlain(ServerSocket plain) {
    while (!plain.isClosed()) {
      try (var socket = plain.accept()) {
        int first = socket.getInputStream().read();
        assertThat(first).isEqualTo(0x16);
        socket
            .getOutputStream()
            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      } catch (IOException ended) {
        return;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http:127.0.0.1",
        "http://",
        "http://user:password@127.0.0.1",
        "http://token:@127.0.0.1",
        "http://token:a%20b@127.0.0.1",
        "http://127.0.0.1/#part",
        "http://127.0.0.1:x",
        "http://127.0.0.1?timeout=5",
        "http://127.0.0.1?timeout=0s",
        "http://127.0.0.1?trustStore=x",
        "http://token:pnc_1_secret@127.0.0.1?tokenFile=x",
        "http://127.0.0.1?token=pnc_1_secret",
        "https://127.0.0.1?trustStore=/no/such/file"
      })
  void wrongUrl_isToldWithoutSecrets(String url) {
    assertThatThrownBy(() -> Punctual.open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(
            thrown ->
                assertThat(thrown.getMessage())
                    .isNotEmpty()
                    .doesNotContain("password@")
                    .doesNotContain(SECRET));
  }

  @Test
  void status_serverGoesAndComesBack_isReported() {
    int port = server.port();
    try (Punctual punctual = Punctual.open(server.url() + "?operationTimeout=3s")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule("a", Duration.ofHours(1));
      server.close();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                try {
                  queue.schedule("b", Duration.ofHours(1));
                } catch (io.punctual.PunctualException away) {
                  assertThat(away.getMessage()).isNotEmpty();
                }
                return !punctual.status().reachable();
              });
      try (TestServer again = TestServer.of(MemoryStore.builder().build(), port)) {
        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptions()
            .until(
                () ->
                    !queue.schedule("c", Duration.ofHours(1)).id().isEmpty()
                        && punctual.status().reachable());
        assertThat(again.requests()).isPositive();
      }
    }
  }
}
