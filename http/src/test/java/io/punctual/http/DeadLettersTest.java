package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Right;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class DeadLettersTest {
  private static final String DEAD = "/v1/queues/q/dead";

  private final ApiDriver api = ApiDriver.memory();

  @BeforeEach
  void bury() {
    bury("1", "declined");
    bury("2", "declined");
    bury("3", "no such user");
  }

  @AfterEach
  void close() {
    api.close();
  }

  private void bury(String id, String reason) {
    api.post("/v1/queues/q/messages", "{'id':'" + id + "','payload':{'secret':" + id + "}}");
    String token =
        api.post("/v1/queues/q/claims", "{'wait':'5s'}").at("/deliveries/0/token").asString();
    api.post(
            "/v1/queues/q/settlements",
            "[{'id':'"
                + id
                + "','token':'"
                + token
                + "','action':'bury','reason':'"
                + reason
                + "'}]")
        .is(200);
  }

  @Test
  void deadLetters_areListedByTheFilter() {
    assertThat(api.get(DEAD).json().findValuesAsString("id")).containsExactly("1", "2", "3");
    assertThat(api.get(DEAD + "?failure=user").json().findValuesAsString("id"))
        .containsExactly("3");
    assertThat(api.get(DEAD + "?reason=by_caller&limit=2").json().get("next")).isNotNull();
    assertThat(api.get(DEAD + "?to=2000-01-01T00:00:00Z").at("/messages").size()).isZero();
    api.get(DEAD + "?reason=none").isProblem(400, "invalid", "by_caller");
  }

  @Test
  void groups_haveTheirCounts() {
    JsonNode groups = api.get(DEAD + "/groups").is(200).json();
    assertThat(groups.at("/groups/0/count").asInt()).isEqualTo(2);
    assertThat(groups.at("/groups/0/failure").asString()).contains("declined");
    assertThat(groups.get("total").asInt()).isEqualTo(3);
    api.get(DEAD + "/groups").is(200);
  }

  @Test
  void textsOfFailures_areHidden_withoutTheRight() {
    api.add("observer", "", Right.OBSERVE);
    String[] as = {"Authorization", "Bearer observer"};
    assertThat(api.get(DEAD, as).is(200).text()).doesNotContain("declined", "secret");
    assertThat(api.get(DEAD + "/groups", as).is(200).text()).doesNotContain("declined");
    api.get(DEAD + "?failure=decl", as).isProblem(403, "forbidden", "failures");
  }

  @Test
  void deadLetter_isRedriven_alsoWithANewPayload_andDeleted() {
    bury("4", "x");
    api.json("POST", "/v1/queues/q/messages/1/redrive", "").is(200);
    assertThat(api.get("/v1/queues/q/messages/1/payload").text()).isEqualTo("{\"secret\":1}");
    api.json("POST", "/v1/queues/q/message/redrive?id=2", "{'payload':{'fixed':true}}").is(200);
    assertThat(api.get("/v1/queues/q/messages/2/payload").text()).isEqualTo("{\"fixed\":true}");
    api.json("POST", "/v1/queues/q/messages/1/redrive", "").isProblem(409, "conflict", "not dead");
    api.send(
            TestHead.of(
                "POST",
                "/v1/queues/q/messages/3/redrive",
                "Content-Type",
                "application/octet-stream"),
            "raw".getBytes(StandardCharsets.UTF_8))
        .is(200);
    assertThat(api.get("/v1/queues/q/messages/3/payload").text()).isEqualTo("raw");
    api.send(
            TestHead.of(
                "POST",
                "/v1/queues/q/messages/4/redrive",
                "Content-Type",
                "application/octet-stream"),
            new byte[(1 << 20) + 1])
        .isProblem(413, "too-large", "1048576");
    api.delete("/v1/queues/q/messages/4").isProblem(409, "conflict", "redrive or delete");
    api.delete("/v1/queues/q/messages/4/dead").is(200);
    api.delete("/v1/queues/q/messages/4/dead").isProblem(404, "not-found", "id");
  }
}
