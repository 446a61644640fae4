package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.MessageQuery;
import io.punctual.State;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.kit.redis.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tokens that the API makes. */
final class TokensTest {
  private static final String TOKENS = "/v1/tokens";

  private final ApiDriver api = ApiDriver.memory();

  @BeforeEach
  void roles() {
    api.roles.put("clerk", Set.of(new Grant(Right.OBSERVE, "shop.")));
    api.roles.put("boss", Set.of(new Grant(Right.ADMIN, "")));
  }

  @AfterEach
  void close() {
    api.close();
  }

  private static String[] as(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  private static String make(ApiDriver api, String json) {
    return api.post(TOKENS, json).is(201).at("/token").asString();
  }

  @Test
  void token_hasItsRole_andIsShownOnce_andEndsWhenItIsRevoked() {
    String token = make(api, "{'id':'ada','role':'clerk'}");
    assertThat(token).matches("pnc_ada_[0-9a-f]{32}");
    api.get("/v1/queues/shop.a", as(token)).is(404);
    api.get("/v1/queues/other", as(token)).is(403);
    assertThat(api.get("/v1/caller", as(token)).at("/name").asString()).isEqualTo("ada");
    JsonNode listed = api.get(TOKENS).is(200).at("/tokens/0");
    assertThat(listed.get("id").asString()).isEqualTo("ada");
    assertThat(listed.get("by").asString()).isEqualTo("tester");
    assertThat(api.get(TOKENS).text()).doesNotContain(token, token.substring(8), "sha256");
    api.get("/v1/caller", as(token.substring(0, token.length() - 1) + "x")).is(401);
    api.delete(TOKENS + "/ada").is(204);
    api.get("/v1/caller", as(token)).is(401);
    api.delete(TOKENS + "/ada").isProblem(404, "not-found", "configuration");
    assertThat(make(api, "{'id':'ada','role':'clerk'}")).isNotEqualTo(token);
  }

  @Test
  void store_hasNoSecret() {
    String token = make(api, "{'id':'ada','role':'clerk'}");
    for (String queue : new String[] {"punctual.server.tokens", "punctual.server.audit"}) {
      await()
          .untilAsserted(
              () -> {
                var page =
                    api.punctual
                        .queue(queue, Codec.bytes())
                        .browse(MessageQuery.of(State.SCHEDULED));
                assertThat(page.items()).hasSize(1);
                String text =
                    new String(page.items().get(0).payloadBytes(), StandardCharsets.UTF_8);
                assertThat(text).contains("ada").doesNotContain(token.substring(8));
              });
    }
  }

  @Test
  void token_endsWhenItExpires() {
    String token =
        make(api, "{'id':'ada','role':'clerk','expires':'" + Instant.now().plusSeconds(3) + "'}");
    await().until(() -> api.get("/v1/caller", as(token)).status() == 401);
    await().until(() -> api.get(TOKENS).at("/tokens").size() == 0);
    await()
        .until(
            () ->
                api.punctual.queue("punctual.server.tokens", Codec.bytes()).counts().ready() == 0);
    make(api, "{'id':'ada','role':'clerk'}");
  }

  @Test
  void roleThatIsRemoved_givesNoRights() {
    String token = make(api, "{'id':'ada','role':['clerk','boss']}");
    api.get(TOKENS, as(token)).is(200);
    api.roles.remove("boss");
    api.get(TOKENS, as(token)).is(403);
    api.get("/v1/queues/shop.a", as(token)).is(404);
    api.roles.remove("clerk");
    api.get("/v1/queues/shop.a", as(token)).is(403);
    api.roles.put("clerk", Set.of(new Grant(Right.OBSERVE, "shop.")));
    api.get("/v1/queues/shop.a", as(token)).is(404);
  }

  @Test
  void callerManagesOnlyTheTokensOfItsQueues() {
    api.add("manager", "shop.", Right.ADMIN);
    String all = make(api, "{'id':'all','role':'boss'}");
    api.post(TOKENS, "{'id':'x','role':'boss'}", as("manager")).isProblem(403, "forbidden", "role");
    api.post(TOKENS, "{'id':'x','role':'none'}", as("manager")).isProblem(403, "forbidden", "role");
    api.post(TOKENS, "{'id':'x','role':['clerk','boss']}", as("manager")).is(403);
    api.delete(TOKENS + "/all", as("manager")).is(404);
    assertThat(api.get(TOKENS, as("manager")).at("/tokens").size()).isZero();
    api.post(TOKENS, "{'id':'ada','role':'clerk'}", as("manager")).is(201);
    assertThat(api.get(TOKENS, as("manager")).json().findValuesAsString("id"))
        .containsExactly("ada");
    api.delete(TOKENS + "/ada", as(all)).is(204);
  }

  @Test
  void wrongRequests_areRefused() {
    make(api, "{'id':'ada','role':'clerk'}");
    api.add("taken", "", Right.OBSERVE);
    api.post(TOKENS, "{'id':'ada','role':'clerk'}").isProblem(409, "exists", "revoke");
    api.post(TOKENS, "{'id':'taken','role':'clerk'}").isProblem(409, "exists", "id");
    api.post(TOKENS, "{'id':'a_b','role':'clerk'}").isProblem(400, "invalid", "hyphens");
    api.post(TOKENS, "{'id':'a'}").isProblem(400, "invalid", "role");
    api.post(TOKENS, "{'id':'a','role':[]}").isProblem(400, "invalid", "role");
    api.post(TOKENS, "{'id':'a','role':'clerk','expires':'2020-01-01T00:00:00Z'}")
        .isProblem(400, "invalid", "past");
    api.post(TOKENS, "{'id':'a','role':'clerk','secret':'x'}").isProblem(400, "invalid", "secret");
    assertThat(api.get(TOKENS).at("/tokens").size()).isEqualTo(1);
  }

  @Test
  void tokenWorksOnAllServersOfAStore_andEndsOnAll_andSurvivesARestart() {
    try (RedisProcess redis = RedisProcess.start();
        ApiDriver one = new ApiDriver(redis.url(), builder -> builder);
        ApiDriver other = new ApiDriver(redis.url(), builder -> builder)) {
      one.roles.put("clerk", Set.of(new Grant(Right.OBSERVE, "")));
      other.roles.putAll(one.roles);
      String token = make(one, "{'id':'ada','role':'clerk'}");
      await().until(() -> other.get("/v1/queues", as(token)).status() == 200);
      try (ApiDriver restarted = new ApiDriver(redis.url(), builder -> builder)) {
        restarted.roles.putAll(one.roles);
        restarted.get("/v1/queues", as(token)).is(200);
      }
      other.delete(TOKENS + "/ada").is(204);
      other.get("/v1/queues", as(token)).is(401);
      await().until(() -> one.get("/v1/queues", as(token)).status() == 401);
    }
  }
}
