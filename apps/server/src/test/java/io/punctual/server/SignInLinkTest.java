package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.AccessToken;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.access.WrongTokens;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signs in by the link that a server prints. */
class SignInLinkTest {
  private static final String TOKENS =
      """
      roles: {all: {observe: '*'}}
      tokens: [{id: shop, sha256: %s, role: all}]
      """
          .formatted(AccessToken.sha256("pnc_shop_" + "0".repeat(32)));

  @TempDir private Path folder;

  private static HttpResponse<String> use(TestServer server, String secret) {
    return server.send(
        "POST",
        "/console/session",
        "{\"link\":\"" + secret + "\"}",
        "Content-Type",
        "application/json");
  }

  private static String newSecret(TestServer server) {
    return server.server().newSignInLink().getFragment().replace("sign-in=", "");
  }

  private static String cookie(HttpResponse<String> answer) {
    return answer.headers().firstValue("Set-Cookie").orElseThrow();
  }

  private static String key(HttpResponse<String> answer) {
    return answer.body().replaceAll(".*\"key\":\"([^\"]+)\".*", "$1");
  }

  private static int look(TestServer server, String... headers) {
    return server.get("/v1/queues", headers).statusCode();
  }

  @Test
  void link_becomesASessionWithTwoHalves_once() {
    try (TestServer server = TestServer.start(folder, TOKENS)) {
      String secret = newSecret(server);

      HttpResponse<String> answer = use(server, secret);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(cookie(answer)).contains("; HttpOnly", "; SameSite=Strict");
      String cookie = cookie(answer).split(";", -1)[0];
      assertThat(look(server, LinkSignIn.HEADER, key(answer), "Cookie", cookie)).isEqualTo(200);
      assertThat(server.get("/v1/caller", LinkSignIn.HEADER, key(answer), "Cookie", cookie).body())
          .contains("\"terminal\"");
      assertThat(look(server, "Cookie", cookie)).isEqualTo(401);
      assertThat(look(server, LinkSignIn.HEADER, key(answer))).isEqualTo(401);
      assertThat(use(server, secret).statusCode()).isEqualTo(401);

      HttpResponse<String> ended =
          server.send(
              "DELETE", "/console/session", "", LinkSignIn.HEADER, key(answer), "Cookie", cookie);
      assertThat(ended.statusCode()).isEqualTo(204);
      assertThat(look(server, LinkSignIn.HEADER, key(answer), "Cookie", cookie)).isEqualTo(401);
    }
  }

  @Test
  void sessionOutlivesAReload() {
    try (TestServer server = TestServer.start(folder, TOKENS)) {
      HttpResponse<String> answer = use(server, newSecret(server));
      assertThat(server.reload(TOKENS + "readOnly: true\n")).isTrue();

      assertThat(
              look(
                  server,
                  LinkSignIn.HEADER,
                  key(answer),
                  "Cookie",
                  cookie(answer).split(";", -1)[0]))
          .isEqualTo(200);
    }
  }

  @Test
  void otherBodies_areRefused() {
    try (TestServer server = TestServer.start(folder, TOKENS)) {
      for (String body : new String[] {"", "{}", "{\"link\":1}", "[]", "{\"link\":null}"}) {
        assertThat(
                server
                    .send("POST", "/console/session", body, "Content-Type", "application/json")
                    .statusCode())
            .as(body)
            .isEqualTo(400);
      }
      assertThat(use(server, "0".repeat(300)).statusCode()).isEqualTo(413);
    }
  }

  @Test
  @Tag("extended")
  void guesses_areRefused_andSoonSlowedDown() {
    try (TestServer server = TestServer.start(folder, TOKENS)) {
      String secret = newSecret(server);
      for (int i = 0; i < WrongTokens.LIMIT; i++) {
        assertThat(use(server, "0".repeat(32)).statusCode()).isEqualTo(401);
      }
      assertThat(use(server, "0".repeat(32)).statusCode()).isEqualTo(429);
      assertThat(use(server, secret).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void pageOfAnotherSite_canNotUseALink() {
    try (TestServer server = TestServer.start(folder, TOKENS)) {
      String body = "{\"link\":\"" + newSecret(server) + "\"}";
      assertThat(
              server
                  .send("POST", "/console/session", body, "Sec-Fetch-Site", "cross-site")
                  .statusCode())
          .isEqualTo(403);
    }
  }
}
