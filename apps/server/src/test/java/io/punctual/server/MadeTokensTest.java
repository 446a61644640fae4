package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.http.access.AccessToken;
import io.punctual.kit.redis.RedisProcess;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that a server's API makes, on real servers. */
class MadeTokensTest {
  private final String boss = AccessToken.generate("boss");

  @TempDir private Path folder;

  private String config(String roles) {
    return "roles: {boss: {admin: '*', observe: '*'}"
        + roles
        + "}\ntokens:\n  - {id: boss, sha256: "
        + AccessToken.sha256(boss)
        + ", role: boss}\n";
  }

  private static String[] as(String token) {
    return new String[] {"Content-Type", "application/json", "Authorization", "Bearer " + token};
  }

  private String make(TestServer server) {
    String order = "{\"id\":\"ada\",\"role\":\"clerk\"}";
    HttpResponse<String> made = server.send("POST", "/v1/tokens", order, as(boss));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return made.body().replaceAll("(?s).*\"token\":\"([^\"]+)\".*", "$1");
  }

  private static int status(TestServer server, String token) {
    return server.get("/v1/queues", as(token)).statusCode();
  }

  @Test
  void tokenSurvivesARestart_andARoleThatAReloadRemoves_givesNoRights() throws Exception {
    String clerk = ", clerk: {observe: '*', consume: '*'}";
    String store = "journal:" + folder.resolve("data");
    String token;
    try (TestServer server = TestServer.start(folder, store, config(clerk))) {
      token = make(server);
      assertThat(status(server, token)).isEqualTo(200);
      assertThat(server.get("/metrics", as(token)).statusCode()).isEqualTo(200);
      String taken = "{\"id\":\"boss\",\"role\":\"clerk\"}";
      assertThat(server.send("POST", "/v1/tokens", taken, as(boss)).statusCode()).isEqualTo(409);
    }
    try (TestServer server = TestServer.start(folder, store, config(clerk))) {
      assertThat(status(server, token)).isEqualTo(200);
      assertThat(server.reload(config(""))).isTrue();
      assertThat(status(server, token)).isEqualTo(403);
      assertThat(server.reload(config(clerk))).isTrue();
      assertThat(status(server, token)).isEqualTo(200);
    }
  }

  @Test
  void revokedToken_endsOnEveryServer_withItsPolls() throws Exception {
    String clerk = ", clerk: {observe: '*', consume: '*'}";
    Path second = Files.createDirectory(folder.resolve("second"));
    try (RedisProcess redis = RedisProcess.start();
        TestServer one = TestServer.start(folder, redis.url(), config(clerk));
        TestServer other = TestServer.start(second, redis.url(), config(clerk))) {
      String token = make(one);
      await().until(() -> status(other, token) == 200);
      long begin = System.nanoTime();
      CompletableFuture<HttpResponse<String>> poll =
          CompletableFuture.supplyAsync(
              () ->
                  other.send(
                      "POST",
                      "/v1/queues/q/claims",
                      "{\"wait\":\"60s\",\"worker\":{\"name\":\"waiter\"}}",
                      as(token)));
      await().until(() -> other.get("/v1/workers", as(boss)).body().contains("waiter"));

      assertThat(one.send("DELETE", "/v1/tokens/ada", "", as(boss)).statusCode()).isEqualTo(204);

      assertThat(status(one, token)).isEqualTo(401);
      assertThat(poll.join().body()).contains("\"deliveries\":[]");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(50));
      assertThat(status(other, token)).isEqualTo(401);
    }
  }

  @Test
  void serverWhoseStoreIsAway_stillKnowsItsTokens() {
    String clerk = ", clerk: {observe: '*'}";
    try (RedisProcess redis = RedisProcess.start();
        TestServer server =
            TestServer.start(folder, redis.url() + "?operationTimeout=3s", config(clerk))) {
      String token = make(server);
      redis.kill();
      assertThat(status(server, token)).isEqualTo(503);
      assertThat(status(server, token + "0")).isEqualTo(401);
      redis.restart();
      await().until(() -> status(server, boss) == 200);
    }
  }
}
