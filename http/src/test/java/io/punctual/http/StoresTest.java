package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.kit.redis.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The API on stores that outlive it, and on stores that fail. */
final class StoresTest {
  @Test
  void journal_keepsWhatTheApiConfirmed(@TempDir Path folder) {
    String url = "journal:" + folder.resolve("data");
    String task;
    try (ApiDriver api = new ApiDriver(url, builder -> builder)) {
      task = work(api);
    }
    try (ApiDriver api = new ApiDriver(url, builder -> builder)) {
      assertThat(api.get("/v1/queues/q/messages/later").at("/payload/n").asInt()).isEqualTo(1);
      assertThat(api.get("/v1/tasks/" + task).at("/state").asString()).isEqualTo("DONE");
      assertThat(api.get("/v1/audit").json().findValuesAsString("reason")).contains("mended");
    }
  }

  @Test
  void redis_isServedByTwoProcesses() {
    String url = RedisProcess.sharedAndEmpty().url();
    try (ApiDriver one = new ApiDriver(url, builder -> builder);
        ApiDriver two = new ApiDriver(url, builder -> builder)) {
      String task = work(one);
      await().until(() -> two.get("/v1/tasks/" + task).at("/state").asString().equals("DONE"));
      two.post("/v1/queues/q/messages", "{'id':'x','payload':1}").is(201);
      JsonNode delivery = claim(one, "x");
      settle(two, delivery, "'action':'ack'");
      one.get("/v1/queues/q/messages/x").is(404);
      assertThat(two.get("/v1/find?id=later").json().findValuesAsString("queue"))
          .containsExactly("q");
    }
  }

  /** Schedules, fails, and redrives by a task; returns the id of the task. */
  private static String work(ApiDriver api) {
    api.post("/v1/queues/q/messages", "{'id':'later','payload':{'n':1},'delay':'1h'}").is(201);
    api.post("/v1/queues/q/messages", "{'id':'bad','payload':1}").is(201);
    settle(api, claim(api, "bad"), "'action':'bury','reason':'bad card'");
    String task =
        api.post("/v1/tasks", "{'queue':'q','action':'redrive','reason':'mended'}")
            .is(202)
            .at("/id")
            .asString();
    await()
        .until(() -> api.get("/v1/tasks/" + task).is(200).at("/state").asString().equals("DONE"));
    settle(api, claim(api, "bad"), "'action':'ack'");
    return task;
  }

  private static JsonNode claim(ApiDriver api, String id) {
    JsonNode[] delivery = new JsonNode[1];
    await()
        .until(
            () -> {
              delivery[0] = api.post("/v1/queues/q/claims", "{'wait':'5s'}").at("/deliveries/0");
              return delivery[0].isObject();
            });
    assertThat(delivery[0].get("id").asString()).isEqualTo(id);
    return delivery[0];
  }

  private static void settle(ApiDriver api, JsonNode delivery, String rest) {
    ApiDriver.Response settled =
        api.post(
            "/v1/queues/q/settlements",
            "[{'id':'"
                + delivery.get("id").asString()
                + "','token':'"
                + delivery.get("token").asString()
                + "',"
                + rest
                + "}]");
    assertThat(settled.is(200).at("/results/0/outcome").asString()).isEqualTo("DONE");
  }

  /** Schedules a message; a busy machine may take longer than the time-out of the first calls. */
  private static void scheduleOne(ApiDriver api) {
    await()
        .until(
            () -> api.post("/v1/queues/q/messages", "{'id':'1','payload':1,'delay':'1h'}").status(),
            status -> status == 200 || status == 201);
  }

  @Test
  @Tag("extended")
  void storeThatIsAway_isAProblemThatSaysWhatWasDone() {
    try (RedisProcess redis = RedisProcess.start();
        ApiDriver api =
            new ApiDriver(redis.url() + "?operationTimeout=500ms", builder -> builder)) {
      scheduleOne(api);
      redis.freeze();
      ApiDriver.Response unknown =
          api.post("/v1/queues/q/messages", "{'id':'2','payload':1,'delay':'1h'}");
      assertThat(unknown.status()).isIn(503, 504);
      assertThat(unknown.at("/outcome").asString())
          .isEqualTo(unknown.status() == 504 ? "unknown" : "not-done");
      assertThat(unknown.at("/queue").asString()).isEqualTo("q");
      redis.kill();
      await()
          .untilAsserted(
              () -> {
                ApiDriver.Response away =
                    api.post("/v1/queues/q/messages", "{'id':'3','payload':1,'delay':'1h'}");
                away.is(503);
                assertThat(away.headers()).containsKey("Retry-After");
                assertThat(away.at("/outcome").asString()).isEqualTo("not-done");
              });
    }
  }

  @Test
  void fullStore_isA503WithRetryAfter() {
    try (RedisProcess redis =
            RedisProcess.builder()
                .config("maxmemory", "4mb")
                .config("maxmemory-policy", "noeviction")
                .start();
        ApiDriver api = new ApiDriver(redis.url(), builder -> builder)) {
      String payload = "x".repeat(200_000);
      ApiDriver.Response full = null;
      for (int i = 0; i < 100 && (full == null || full.status() == 201); i++) {
        full = api.post("/v1/queues/q/messages", "{'payload':'" + payload + "','delay':'1h'}");
      }
      full.isProblem(503, "full", "");
      assertThat(full.headers()).containsKey("Retry-After");
    }
  }

  @Test
  @Tag("extended")
  void batchOfAStoreThatIsAway_failsAsAWhole() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open(redis.url() + "?operationTimeout=500ms");
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      scheduleOne(api);
      redis.kill();
      byte[] lines = "{\"payload\":1}\n{\"payload\":2}".getBytes(StandardCharsets.UTF_8);
      ApiDriver.Response failed =
          api.send(
              TestHead.of("POST", "/v1/queues/q/messages", "Content-Type", "application/x-ndjson"),
              lines);
      assertThat(failed.status()).isIn(503, 504);
    }
  }
}
