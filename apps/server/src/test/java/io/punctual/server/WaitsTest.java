package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.http.access.AccessToken;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait while their token is taken away. */
class WaitsTest {
  /** A wait that ends earlier than this was ended by the server, and not by its own time. */
  private static final Duration BEFORE_ITS_END = Duration.ofSeconds(50);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String stays = AccessToken.generate("stays");
  private final String goes = AccessToken.generate("goes");

  @TempDir private Path folder;

  private String config(String roles, String more) {
    return "roles: {all: {consume: '*', observe: '*', produce: '*'}, goes: {"
        + roles
        + "}}\ntokens:\n"
        + "  - {id: stays, sha256: "
        + AccessToken.sha256(stays)
        + ", role: all}\n"
        + more;
  }

  private String goes(String expires) {
    return "  - {id: goes, sha256: " + AccessToken.sha256(goes) + expires + ", role: goes}\n";
  }

  private static CompletableFuture<HttpResponse<String>> poll(TestServer server, String token) {
    return CompletableFuture.supplyAsync(
        () ->
            server.send(
                "POST",
                "/v1/queues/q/claims",
                "{\"wait\":\"60s\",\"worker\":{\"name\":\"" + token.substring(4, 9) + "\"}}",
                "Content-Type",
                "application/json",
                "Authorization",
                "Bearer " + token));
  }

  private void awaitPoll(TestServer server, String token) {
    String[] as = {"Authorization", "Bearer " + stays};
    String name = token.substring(4, 9);
    await().until(() -> server.get("/v1/workers", as).body().contains("\"" + name + "\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"removed", "expired", "without-the-right"})
  void pollAndStreamEndAtOnce_whenAReloadTakesTheirToken_andOthersGoOn(String how)
      throws IOException {
    String rights = "consume: '*', observe: '*'";
    try (TestServer server = TestServer.start(folder, config(rights, goes("")));
        RawClient stream = RawClient.connect(server.port())) {
      stream.send(
          "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              + "Authorization: Bearer "
              + goes
              + "\r\n\r\n");
      long begin = System.nanoTime();
      CompletableFuture<HttpResponse<String>> ended = poll(server, goes);
      CompletableFuture<HttpResponse<String>> goesOn = poll(server, stays);
      awaitPoll(server, goes);
      awaitPoll(server, stays);
      assertThat(stream.socket().getInputStream().read()).isEqualTo('H');

      String next =
          switch (how) {
            case "removed" -> config(rights, "");
            case "expired" -> config(rights, goes(", expires: 2020-01-01T00:00:00Z"));
            default -> config("produce: x", goes(""));
          };
      assertThat(server.reload(next)).isTrue();

      assertThat(ended.join().body()).contains("\"deliveries\":[]");
      assertThat(stream.isEnded()).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_ITS_END);
      assertThat(goesOn.isDone()).isFalse();
      String[] as = {"Content-Type", "application/json", "Authorization", "Bearer " + stays};
      server.send("POST", "/v1/queues/q/messages", "{\"payload\":1}", as);
      assertThat(goesOn.join().body()).contains("\"attempt\":1");
      assertThat(poll(server, goes).join().statusCode()).isIn(401, 403);
    }
  }

  @Test
  void pollEnds_whenItsTokenExpires() {
    String soon = ", expires: " + Instant.now().plusSeconds(3);
    try (TestServer server = TestServer.start(folder, config("consume: '*'", goes(soon)))) {
      long begin = System.nanoTime();
      HttpResponse<String> ended = poll(server, goes).join();

      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_ITS_END);
      assertThat(ended.statusCode()).isIn(200, 401);
      await().until(() -> poll(server, goes).join().statusCode() == 401);
    }
  }

  /** Its caller was known when the head of the request arrived. */
  @Test
  void pollWhoseBodyArrivesAfterItsTokenHasExpired_doesNotWait() throws Exception {
    Instant soon = Instant.now().plusSeconds(2);
    try (TestServer server =
            TestServer.start(folder, config("consume: '*'", goes(", expires: " + soon)));
        RawClient client = RawClient.connect(server.port())) {
      String body = "{\"wait\":\"60s\"}";
      client.send(
          "POST /v1/queues/q/claims HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + goes
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n{");
      await().until(() -> Instant.now().isAfter(soon.plusMillis(100)));
      long begin = System.nanoTime();
      client.send(body.substring(1));
      assertThat(client.reply().text()).contains("\"deliveries\":[]");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_ITS_END);
    }
  }

  @Test
  void pollWithoutAToken_ends_whenAReloadAsksForOne() {
    try (TestServer server = TestServer.start(folder, "")) {
      long begin = System.nanoTime();
      CompletableFuture<HttpResponse<String>> ended = poll(server, "pnc_someone");
      awaitPoll(server, "pnc_someone");
      assertThat(server.reload(config("consume: x", ""))).isTrue();

      assertThat(ended.join().body()).contains("\"deliveries\":[]");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_ITS_END);
    }
  }

  @Test
  void clientOfTheHttpStore_goesOn_whenAReloadChangesItsRights() {
    String store = "store: a";
    try (TestServer server = TestServer.start(folder, config(store, goes("")));
        Punctual punctual = Punctual.open("http://token:" + goes + "@127.0.0.1:" + server.port())) {
      TimedQueue<String> queue = punctual.queue("a.1", Codec.string());
      Set<String> received = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> received.add(delivery.payload()));
      queue.schedule("first", Duration.ZERO);
      await().atMost(PATIENCE).until(() -> received.contains("first"));

      assertThat(server.reload(config(store + ", observe: a", goes("")))).isTrue();

      queue.schedule("second", Duration.ZERO);
      await().atMost(PATIENCE).until(() -> received.contains("second"));
    }
  }
}
