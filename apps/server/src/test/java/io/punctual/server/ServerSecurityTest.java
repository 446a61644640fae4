package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.AccessToken;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks a real server. */
class ServerSecurityTest {
  private static final String ROLES =
      "roles: {all: {observe: '*'}, some: {observe: shop.}}\nnames: [queue.example]\n";
  private static final List<String> ROUTES =
      List.of(
          "/livez", "/readyz", "/metrics", "/v1/queues", "/nothing", "/store/v1/calls", "/a//b");

  private final String right = AccessToken.generate("right");
  private final String old = AccessToken.generate("right");
  private final String expired = AccessToken.generate("expired");
  private final String narrow = AccessToken.generate("narrow");

  @TempDir private Path folder;

  private String tokens() {
    return ROLES
        + "tokens:\n"
        + token("right", right, "all")
        + token("right", old, "all")
        + token("narrow", narrow, "some")
        + token("expired", expired, "all").replace("}", ", expires: 2020-01-01T00:00:00Z}");
  }

  private static String token(String id, String token, String role) {
    return "  - {id: %s, sha256: %s, role: %s}\n".formatted(id, AccessToken.sha256(token), role);
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  @ParameterizedTest
  @CsvSource({
    "evil.example, 421",
    "127.0.0.1.evil.example, 421",
    "evil.example:8420, 421",
    "'', 400",
    "localhost, 200",
    "LOCALHOST:1, 200",
    "localhost., 200",
    "127.0.0.1:99, 200",
    "[::1]:8420, 200",
    "queue.example, 200"
  })
  void aPageCantReachTheServerByANameOfItsOwn(String host, int status) throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES)) {
      for (String path : ROUTES) {
        try (RawClient client = RawClient.connect(server.port())) {
          int found =
              client
                  .send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                  .reply()
                  .status();
          if (status != 200) {
            assertThat(found).as(path).isEqualTo(status);
          } else {
            assertThat(found).as(path).isNotIn(400, 421, 403);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site", "Cross-Site"})
  void aPageOfAnotherSiteIsRefusedOnEveryRoute(String site) throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES)) {
      for (String path : ROUTES) {
        try (RawClient client = RawClient.connect(server.port())) {
          RawClient.Reply reply =
              client.request(
                  "POST " + path + " HTTP/1.1\nContent-Type: text/plain\nSec-Fetch-Site: " + site,
                  "{}");
          assertThat(reply.status()).as(path).isEqualTo(403);
        }
      }
    }
  }

  @Test
  void aWrongTokenAndAnUnknownOneGetTheSameAnswer() {
    try (TestServer server = TestServer.start(folder, tokens())) {
      List<String> wrong =
          new ArrayList<>(
              List.of(
                  right.substring(0, right.length() - 1) + (right.endsWith("0") ? "1" : "0"),
                  AccessToken.generate("unknown"),
                  expired,
                  "pnc_right_",
                  "pnc_right",
                  "x",
                  "a.b.c",
                  "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."));
      HttpResponse<String> none = server.get("/metrics");

      assertThat(none.statusCode()).isEqualTo(401);
      assertThat(none.headers().firstValue("WWW-Authenticate")).isPresent();
      for (String token : wrong) {
        HttpResponse<String> answer = server.get("/metrics", bearer(token));
        assertThat(answer.statusCode()).as(token).isEqualTo(401);
        assertThat(answer.body()).isEqualTo(none.body());
      }
      assertThat(server.get("/metrics", "Authorization", "Basic " + right).statusCode())
          .isEqualTo(401);
      assertThat(server.get("/metrics", bearer(right)).statusCode()).isEqualTo(200);
      assertThat(server.get("/metrics", bearer(old)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whoGuessesTokensIsDelayedAndThenRefused() {
    try (TestServer server = TestServer.start(folder, tokens())) {
      long begin = System.nanoTime();
      assertThat(server.get("/metrics", bearer("wrong")).statusCode()).isEqualTo(401);
      assertThat(System.nanoTime() - begin).isGreaterThan(200_000_000L);
      List<java.util.concurrent.CompletableFuture<HttpResponse<String>>> guesses =
          new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        guesses.add(
            java.util.concurrent.CompletableFuture.supplyAsync(
                () -> server.get("/metrics", bearer("wrong"))));
      }
      guesses.forEach(java.util.concurrent.CompletableFuture::join);

      HttpResponse<String> refused = server.get("/metrics", bearer("wrong"));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).contains("60");
      assertThat(server.get("/metrics", bearer(right)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theMetersNameAllQueues_soThatANarrowTokenDoesNotSeeThem() {
    try (TestServer server = TestServer.start(folder, tokens())) {
      assertThat(server.get("/metrics", bearer(narrow)).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void aReloadReplacesTokens_andAWrongFileChangesNothing() {
    try (TestServer server = TestServer.start(folder, tokens())) {
      String next = AccessToken.generate("next");

      assertThat(server.reload(tokens() + "prot: 1")).isFalse();
      assertThat(server.get("/metrics", bearer(right)).statusCode()).isEqualTo(200);
      assertThat(server.reload(tokens() + "host: 0.0.0.0")).isFalse();
      assertThat(server.reload(tokens() + "host: 127.0.0.2")).isTrue();
      assertThat(server.get("/metrics", bearer(right)).statusCode()).isEqualTo(200);

      assertThat(server.reload(ROLES + "tokens:\n" + token("next", next, "all"))).isTrue();
      assertThat(server.get("/metrics", bearer(right)).statusCode()).isEqualTo(401);
      assertThat(server.get("/metrics", bearer(next)).statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TRACE", "CONNECT"})
  void aMethodThatEchoesIsRefused(String method) throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES);
        RawClient client = RawClient.connect(server.port())) {
      String target = method.equals("CONNECT") ? "localhost:1" : "/livez";
      client.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nX: secret\r\n\r\n");
      RawClient.Reply reply = client.reply();
      assertThat(reply.status()).isIn(405, 400);
      assertThat(reply.text()).contains("urn:punctual:problem:").doesNotContain("secret");
    }
  }

  @Test
  void anUpgradeToHttp2IsIgnored() throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES);
        RawClient client = RawClient.connect(server.port())) {
      RawClient.Reply reply =
          client.request(
              "GET /livez HTTP/1.1\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\n"
                  + "HTTP2-Settings: AAMAAABkAAQAAP__",
              "");
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.text()).isEqualTo("alive\n");
    }
  }

  @Test
  void http10IsServed() throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES);
        RawClient client = RawClient.connect(server.port())) {
      client.send("GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(200);
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void aPauseOnAServerWithoutTokens_isSaidToBeByACallerWithoutAToken() {
    try (TestServer server = TestServer.start(folder, "")) {
      String json = "{\"payload\":1,\"delay\":\"1h\"}";
      String[] type = {"Content-Type", "application/json"};
      server.send("POST", "/v1/queues/q/messages", json, type);
      assertThat(server.send("PUT", "/v1/queues/q/pause", "").statusCode()).isEqualTo(200);

      assertThat(server.get("/v1/overview").body())
          .contains("One queue is paused: q, by a caller without a token.");
    }
  }

  @Test
  void readOnlyServer_hasNoHttpStore_fromItsReloadOn() {
    String stores = tokens().replace("all: {observe: '*'}", "all: {store: '*'}");
    try (TestServer server = TestServer.start(folder, stores)) {
      String hello = "/store/v1/hello";
      assertThat(server.send("POST", hello, "", bearer(right)).statusCode()).isNotEqualTo(403);
      assertThat(server.reload(stores + "readOnly: true\n")).isTrue();
      assertThat(server.send("POST", hello, "", bearer(right)).statusCode()).isEqualTo(403);
      assertThat(server.reload(stores)).isTrue();
      assertThat(server.send("POST", hello, "", bearer(right)).statusCode()).isNotEqualTo(403);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"//", "//x", "//v1/queues"})
  void aPathThatBeginsWithTwoSlashes_isNoPageOfTheConsole(String path) throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES);
        RawClient client = RawClient.connect(server.port())) {
      assertThat(client.request("GET " + path + " HTTP/1.1", "").status()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, 403",
    "https://evil.example:8420, 403",
    "http://localhost:3000, 403",
    "http://localhost.evil.example, 403",
    "null, 403",
    "http://localhost, 0",
    "HTTPS://LOCALHOST, 0"
  })
  void aPageWhoseBrowserNamesNoSite_isToldByItsOrigin(String origin, int status)
      throws IOException {
    try (TestServer server = TestServer.start(folder, ROLES)) {
      for (String path : ROUTES) {
        try (RawClient client = RawClient.connect(server.port())) {
          RawClient.Reply reply =
              client.request("POST " + path + " HTTP/1.1\nOrigin: " + origin, "");
          if (status == 0) {
            assertThat(reply.status()).as(path).isNotEqualTo(403);
          } else {
            assertThat(reply.status()).as(path).isEqualTo(status);
          }
        }
      }
    }
  }

  /** Whoever leads a browser to an answer, it runs nothing. */
  @ParameterizedTest
  @CsvSource({
    "'GET / HTTP/1.1|Host: localhost||', 308",
    "'PUT / HTTP/1.1|Host: localhost||', 405",
    "'GET /livez HTTP/1.1|Host: localhost||', 200",
    "'GET /openapi.json HTTP/1.1|Host: localhost||', 401",
    "'GET /console/ HTTP/1.1|Host: localhost||', 200",
    "'GET /console/x.js HTTP/1.1|Host: localhost||', 404",
    "'GET /metrics HTTP/1.1|Host: localhost||', 401",
    "'GET /v1/queues HTTP/1.1|Host: localhost|Authorization: Bearer x||', 401",
    "'POST /v1/queues HTTP/1.1|Host: localhost||', 405",
    "'GET /%ff HTTP/1.1|Host: localhost||', 400",
    "'GET /%00 HTTP/1.1|Host: localhost||', 400",
    "'GET / HTTP/1.1|Host: evil||', 421",
    "'GET /v1/queues HTTP/1.1|Host: localhost|Sec-Fetch-Site: cross-site||', 403",
    "'POST /v1/queues/q/claims HTTP/1.1|Host: localhost|Content-Length: 99999999||', 401",
    "'POST /store/v1/hello HTTP/1.1|Host: localhost|Content-Length: 0||', 401",
    "'GET /store/v1/hello HTTP/1.1|Host: localhost||', 405",
    "'TRACE / HTTP/1.1|Host: localhost||', 405"
  })
  void everyAnswer_isHarmlessInABrowser(String request, int status) throws IOException {
    try (TestServer server = TestServer.start(folder, tokens());
        RawClient client = RawClient.connect(server.port())) {
      RawClient.Reply reply = client.send(request.replace("|", "\r\n")).reply();
      assertThat(reply.status()).isEqualTo(status);
      assertThat(reply.headers())
          .contains("x-content-type-options: nosniff")
          .contains("cross-origin-resource-policy: same-origin")
          .anyMatch(
              line ->
                  line.startsWith("content-security-policy: default-src 'none'")
                      && line.contains("frame-ancestors 'none'"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Authorization: Bearer pnc_wrong\r\n"})
  void theBodyOfAStranger_takesNoMemoryOfTheOthers(String proof) throws IOException {
    String narrowMemory = tokens().replace("some: {", "maker: {produce: '*'}, some: {");
    String yaml =
        narrowMemory
            + token("maker", expired.replace("expired", "maker"), "maker")
            + "limits: {bodyMemory: 1048576}\n";
    try (TestServer server = TestServer.start(folder, yaml);
        RawClient stranger = RawClient.connect(server.port())) {
      stranger.send(
          "POST /store/v1/find HTTP/1.1\r\nHost: localhost\r\n"
              + proof
              + "Content-Length: 1000000\r\n\r\n");
      stranger.send(new byte[999_999]);
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> answer =
            server.send(
                "PUT",
                "/v1/queues/q/messages/" + i,
                "x".repeat(400_000),
                "Authorization",
                "Bearer " + expired.replace("expired", "maker"),
                "Content-Type",
                "application/octet-stream");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      }
      assertThat(stranger.send(new byte[1]).reply().status()).isEqualTo(401);
    }
  }
}
