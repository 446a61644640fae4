package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.TimedQueue;
import io.punctual.http.access.Right;
import io.punctual.http.webhook.WebhookState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WebhookRoutesTest {
  private static final String CRM = "{'queue':'mail','url':'https://crm.example/hook'}";

  private final ListedWebhooks webhooks = new ListedWebhooks();
  private final ApiDriver api = new ApiDriver("memory:", builder -> builder.webhooks(webhooks));

  @AfterEach
  void close() {
    api.close();
  }

  private ApiDriver.Response put(String name, String json, String... headers) {
    return api.json("PUT", "/v1/webhooks/" + name, json, headers);
  }

  @Test
  void processWithoutWebhooks_saysSo() {
    try (ApiDriver other = ApiDriver.memory()) {
      other.get("/v1/webhooks").isProblem(404, "not-found", "server");
      other
          .json("PUT", "/v1/webhooks/crm", CRM)
          .isProblem(404, "not-found", "delivers no webhooks");
    }
  }

  @Test
  void secret_isShownOnce() {
    ApiDriver.Response made = put("crm", CRM).is(201);
    String secret = made.at("/key/secret").asString();
    assertThat(secret).startsWith("whsec_");
    String part = secret.substring(6);
    assertThat(put("crm", CRM).is(200).text()).doesNotContain(part);
    assertThat(api.get("/v1/webhooks/crm").is(200).text()).doesNotContain(part);
    assertThat(api.get("/v1/webhooks").is(200).text()).doesNotContain(part);
    ApiDriver.Response key =
        api.post("/v1/webhooks/crm/keys", "{'kind':'ed25519','overlap':'1h'}").is(201);
    assertThat(key.at("/key/publicKey").asString()).startsWith("whpk_");
    assertThat(key.json().at("/key").has("secret")).isFalse();
    assertThat(key.text()).doesNotContain(part);
    put("crm", "{'queue':'mail','url':'https://c.example/','secret':'" + secret + "'}")
        .isProblem(400, "invalid", "keys");
    assertThat(api.get("/v1/audit").text()).doesNotContain(part);
  }

  @Test
  void reasonThatIsCutWithinACharacter_isInTheAudit() {
    String reason = "a".repeat(299);
    put("crm", CRM.replace("}", ",'reason':'" + reason + "\\ud83d\\ude00'}")).is(201);
    await().until(() -> api.get("/v1/audit").at("/entries").size() == 1);
    assertThat(api.get("/v1/audit").json().findValuesAsString("reason")).containsExactly(reason);
  }

  @Test
  void ownSecret_isTaken() {
    String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    assertThat(
            put("crm", CRM.replace("}", ",'secret':'" + secret + "'}"))
                .is(201)
                .at("/key/secret")
                .asString())
        .isEqualTo(secret);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'queue':'mail'}",
        "{'url':'https://a.example/'}",
        "{'queue':'mail','prefix':'ma','url':'https://a.example/'}",
        "{'queue':'punctual.server.audit','url':'https://a.example/'}",
        "{'queue':'a b','url':'https://a.example/'}",
        "{'queue':'mail','url':'https://127.0.0.1/'}",
        "{'queue':'mail','url':'https://a.example/','concurrency':0}",
        "{'queue':'mail','url':'https://a.example/','timeout':'1h'}",
        "{'queue':'mail','url':'https://a.example/','retries':['1d','99d']}",
        "{'queue':'mail','url':'https://a.example/','headers':['Authorization']}",
        "{'queue':'mail','url':'https://a.example/','headers':['Host']}",
        "{'queue':'mail','url':'https://a.example/','headers':['Transfer-Encoding']}",
        "{'queue':'mail','url':'https://a.example/','headers':['Webhook-Id']}",
        "{'queue':'mail','url':'https://a.example/','headers':['a b']}",
        "{'queue':'mail','url':'https://a.example/','secret':'abc'}",
        "{'queue':'mail','url':'https://a.example/','secret':'whsec_YQ=='}",
        "{'queue':'mail','url':'https://a.example/','uri':'x'}"
      })
  void wrongTargets_areRefused(String json) {
    assertThat(put("crm", json).status()).isIn(400, 403);
    assertThat(webhooks.list()).isEmpty();
  }

  @Test
  void conflict_isAConflict() {
    put("configured", CRM).isProblem(409, "conflict", "Change it there");
  }

  @Test
  void prefixes_areRespected() {
    api.add("mail-only", "mail", Right.OPERATE);
    api.add("mail-only", "mail", Right.OBSERVE);
    api.add("mail-only", "mail", Right.CONSUME);
    api.add("reader", "", Right.OBSERVE);
    String[] operator = {"Authorization", "Bearer mail-only"};
    String[] reader = {"Authorization", "Bearer reader"};
    put("crm", CRM).is(201);
    put("all", "{'prefix':'m','url':'https://a.example/'}").is(201);
    put("other", "{'queue':'other','url':'https://a.example/'}").is(201);
    assertThat(api.get("/v1/webhooks", operator).is(200).at("/items").size()).isEqualTo(1);
    assertThat(api.get("/v1/webhooks", reader).is(200).at("/items").size()).isEqualTo(3);
    api.get("/v1/webhooks/other", operator).isProblem(404, "not-found", "no webhook");
    api.get("/v1/webhooks/all", operator).isProblem(404, "not-found", "no webhook");
    put("mine", "{'prefix':'mail.','url':'https://a.example/'}", operator).is(201);
    put("mine", "{'prefix':'','url':'https://a.example/'}", operator).is(403);
    put("mine", "{'queue':'other','url':'https://a.example/'}", operator).is(403);
    put("other", CRM, operator).is(403);
    put("crm", CRM, reader).is(403);
    for (String action : new String[] {"test", "enable", "keys"}) {
      api.post("/v1/webhooks/crm/" + action, "{}", reader).is(403);
      api.post("/v1/webhooks/other/" + action, "{}", operator).is(404);
    }
    api.delete("/v1/webhooks/other", operator).is(404);
    api.delete("/v1/webhooks/crm", operator).is(204);
  }

  /** Otherwise who may not see a message could have it sent to a server of his own. */
  @Test
  void ownerOfAWebhook_mayConsumeItsQueues() {
    String[] operator = {"Authorization", "Bearer operator"};
    api.add("operator", "mail", Right.OPERATE);
    api.add("operator", "mail", Right.OBSERVE);
    put("crm", CRM, operator).isProblem(403, "forbidden", "CONSUME");
    put("crm", CRM).is(201);
    put("crm", CRM, operator).isProblem(403, "forbidden", "CONSUME");
    api.add("operator", "mail", Right.CONSUME);
    put("crm", CRM, operator).is(200);
  }

  @Test
  void addressAfterItsHost_isForOperators() {
    put("chat", "{'queue':'mail','url':'https://chat.example/services/s3cret?key=s3cret'}").is(201);
    api.add("reader", "", Right.OBSERVE);
    api.add("reader", "", Right.PAYLOADS);
    String[] reader = {"Authorization", "Bearer reader"};
    for (String path : new String[] {"/v1/webhooks", "/v1/webhooks/chat"}) {
      assertThat(api.get(path, reader).is(200).text())
          .contains("https://chat.example/[redacted]")
          .doesNotContain("s3cret");
      assertThat(api.get(path).text()).contains("services/s3cret");
    }
  }

  @Test
  void answersOfTargets_areForThoseWhoSeePayloads() {
    put("crm", CRM).is(201);
    api.add("reader", "", Right.OBSERVE);
    assertThat(api.get("/v1/webhooks/crm/deliveries").at("/items/0/error").asString())
        .isEqualTo("broken");
    ApiDriver.Response hidden =
        api.get("/v1/webhooks/crm/deliveries", "Authorization", "Bearer reader").is(200);
    assertThat(hidden.text()).doesNotContain("broken").contains("\"next\"");
  }

  @Test
  void replay_redrivesWhatDiedSince() {
    put("crm", CRM).is(201);
    TimedQueue<byte[]> queue = api.punctual.queue("mail", Codec.bytes());
    queue.schedule("null".getBytes(StandardCharsets.UTF_8), Duration.ZERO);
    queue.claim(1, Duration.ofSeconds(30)).get(0).bury("broken");
    ApiDriver.Response answer =
        api.post("/v1/webhooks/crm/replay", "{'since':'2020-01-01T00:00:00Z','rate':10}").is(202);
    assertThat(answer.at("/scheduled").asInt()).isEqualTo(2);
    assertThat(answer.at("/skipped").asInt()).isEqualTo(1);
    assertThat(answer.at("/tasks/0/queue").asString()).isEqualTo("mail");
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> queue.counts().dead() == 0);
    api.post("/v1/webhooks/crm/replay", "{}").isProblem(400, "invalid", "since");
  }

  @Test
  void verdict_namesADisabledTarget_andAnOpenCircuit() {
    put("crm", CRM).is(201);
    webhooks.set("crm", WebhookState.Kind.DISABLED);
    ApiDriver.Response disabled = api.get("/v1/overview").is(200);
    assertThat(disabled.at("/verdict/title").asString()).isEqualTo("The webhook crm is disabled");
    assertThat(disabled.at("/verdict/kind").asString()).isEqualTo("bad");
    assertThat(disabled.at("/verdict/text").asString()).contains("410");
    webhooks.set("crm", WebhookState.Kind.OPEN);
    api.add("other", "other", Right.OBSERVE);
    assertThat(api.get("/v1/overview", "Authorization", "Bearer other").is(200).text())
        .doesNotContain("crm");
  }
}
