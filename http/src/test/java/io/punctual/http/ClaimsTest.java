package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.http.access.Right;
import io.punctual.http.exchange.Client;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class ClaimsTest {
  private static final String CLAIMS = "/v1/queues/q/claims";

  private final ApiDriver api = ApiDriver.memory();

  @AfterEach
  void close() {
    api.close();
  }

  /** A client whose end the test decides. */
  private static final class WatchedClient implements Client {
    private final List<Runnable> actions = new ArrayList<>();

    @Override
    public boolean isWatched() {
      return true;
    }

    @Override
    public synchronized void onGone(Runnable action) {
      actions.add(action);
    }

    synchronized void goAway() {
      actions.forEach(Runnable::run);
    }

    synchronized boolean isWaiting() {
      return !actions.isEmpty();
    }
  }

  private CompletableFuture<ApiDriver.Response> poll(String json, Client client) {
    return api.start(
        TestHead.of("POST", CLAIMS, "Content-Type", "application/json"),
        json.replace('\'', '"').getBytes(StandardCharsets.UTF_8),
        client);
  }

  private JsonNode claim(String id) {
    api.post("/v1/queues/q/messages", "{'id':'" + id + "','payload':{'n':1}}").is(201);
    return api.post(CLAIMS, "{'wait':'5s'}").is(200).at("/deliveries/0");
  }

  private ApiDriver.Response settle(JsonNode delivery, String rest) {
    return api.post(
        "/v1/queues/q/settlements",
        "[{'id':'"
            + delivery.get("id").asString()
            + "','token':'"
            + delivery.get("token").asString()
            + "',"
            + rest
            + "}]");
  }

  @Test
  void poll_waitsForAMessage() {
    CompletableFuture<ApiDriver.Response> poll =
        poll("{'wait':'60s','lease':'10s'}", new WatchedClient());
    assertThat(poll).isNotDone();
    api.post("/v1/queues/q/messages", "{'id':'1','payload':{'n':1},'headers':{'a':'b'}}").is(201);
    JsonNode delivery = ApiDriver.await(poll).is(200).at("/deliveries/0");
    assertThat(delivery.get("id").asString()).isEqualTo("1");
    assertThat(delivery.at("/payload/n").asInt()).isEqualTo(1);
    assertThat(delivery.at("/headers/a").asString()).isEqualTo("b");
    assertThat(delivery.get("attempt").asInt()).isEqualTo(1);
  }

  @Test
  void pollThatGetsNothing_isNotAnsweredByTheTimersThread() {
    CompletableFuture<String> thread =
        poll("{'wait':'3s'}", new WatchedClient())
            .thenApply(
                response -> {
                  assertThat(response.is(200).at("/deliveries").size()).isZero();
                  return Thread.currentThread().getName();
                });
    assertThat(ApiDriver.await(thread)).isEqualTo("punctual-polls");
  }

  @Test
  void goneClient_getsNothing_andTheNextPollGetsTheMessage() {
    WatchedClient gone = new WatchedClient();
    CompletableFuture<ApiDriver.Response> dead = poll("{'wait':'60s'}", gone);
    await().until(gone::isWaiting);
    CompletableFuture<ApiDriver.Response> next = poll("{'wait':'60s'}", new WatchedClient());
    gone.goAway();
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
    assertThat(ApiDriver.await(next).at("/deliveries/0/id").asString()).isEqualTo("1");
    assertThat(ApiDriver.await(dead).at("/deliveries").size()).isZero();
  }

  @Test
  void answerThatCantBeWritten_releasesItsMessages() {
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
    ApiDriver.Response lost = api.post(CLAIMS, "{'lease':'1h','wait':'5s'}").is(200);
    assertThat(lost.at("/deliveries").size()).isEqualTo(1);
    lost.written().done(false);
    JsonNode again = api.post(CLAIMS, "{'wait':'5s'}").at("/deliveries/0");
    assertThat(again.get("attempt").asInt()).isEqualTo(1);
  }

  @Test
  void drain_endsWaitingPollsAtOnce() {
    CompletableFuture<ApiDriver.Response> poll = poll("{'wait':'60s'}", new WatchedClient());
    api.api.drain();
    assertThat(ApiDriver.await(poll).is(200).at("/deliveries").size()).isZero();
    assertThat(api.post(CLAIMS, "{'wait':'60s'}").at("/deliveries").size()).isZero();
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
  }

  @Test
  void everySettlement_hasItsEffect() {
    settle(claim("a"), "'action':'ack'").is(200);
    api.get("/v1/queues/q/messages/a").is(404);

    JsonNode delivery = claim("b");
    settle(delivery, "'action':'extend','lease':'1h'").is(200);
    settle(delivery, "'action':'defer','delay':'1h'").is(200);
    assertThat(api.get("/v1/queues/q/messages/b").at("/state").asString()).isEqualTo("SCHEDULED");
    assertThat(settle(delivery, "'action':'ack'").at("/results/0/outcome").asString())
        .isEqualTo("LEASE_LOST");

    settle(claim("c"), "'action':'bury','reason':'bad card'").is(200);
    assertThat(api.get("/v1/queues/q/messages/c").at("/reason").asString()).contains("bad card");

    settle(claim("d"), "'action':'retry','delay':'1h','reason':'later'").is(200);
    assertThat(api.get("/v1/queues/q/messages/d").at("/failures/0/error").asString())
        .contains("later");

    settle(claim("e"), "'action':'repeat','delay':'1h','payload':{'n':2}").is(200);
    ApiDriver.Response repeated = api.get("/v1/queues/q/messages/e");
    assertThat(repeated.at("/payload/n").asInt()).isEqualTo(2);
    assertThat(repeated.at("/attempts").asInt()).isZero();

    settle(claim("f"), "'action':'end'").is(200);
    api.get("/v1/queues/q/messages/f").is(404);

    settle(claim("g"), "'action':'release'").is(200);
    assertThat(api.post(CLAIMS, "{'wait':'5s'}").at("/deliveries/0/id").asString()).isEqualTo("g");
  }

  @Test
  void reportedFailure_isRetriedByThePolicy_andThenDead() {
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
    for (int attempt = 1; attempt <= 5; attempt++) {
      JsonNode delivery = api.post(CLAIMS, "{'wait':'5s'}").at("/deliveries/0");
      assertThat(delivery.get("attempt").asInt()).isEqualTo(attempt);
      assertThat(delivery.get("lastAttempt").asBoolean()).isEqualTo(attempt == 5);
      settle(
              delivery,
              "'action':'fail','failure':{'type':'CardError','text':'declined','origin':'cards.py:42'}")
          .is(200);
      api.send(TestHead.of("POST", "/v1/queues/q/messages/1/run"), new byte[0]);
    }
    ApiDriver.Response dead = api.get("/v1/queues/q/messages/1");
    assertThat(dead.at("/deadReason").asString()).isEqualTo("FAILED");
    assertThat(dead.at("/origin").asString()).isEqualTo("CardError at cards.py:42");
  }

  @Test
  void settlementsInAClaim_areDoneBeforeIt() {
    JsonNode first = claim("1");
    api.post("/v1/queues/q/messages", "{'id':'2','payload':1}").is(201);
    ApiDriver.Response next =
        api.post(
                CLAIMS,
                "{'wait':'5s','settle':[{'id':'1','token':'"
                    + first.get("token").asString()
                    + "','action':'ack'}]}")
            .is(200);
    assertThat(next.at("/settled/0/outcome").asString()).isEqualTo("DONE");
    assertThat(next.at("/deliveries/0/id").asString()).isEqualTo("2");
    api.get("/v1/queues/q/messages/1").is(404);
  }

  @Test
  void wrongSettlements_areRefusedAsAWhole() {
    JsonNode delivery = claim("1");
    settle(delivery, "'action':'ack','delay':'1s'").isProblem(400, "invalid", "delay");
    settle(delivery, "'action':'retry'").isProblem(400, "invalid", "delay");
    settle(delivery, "'action':'fail'").isProblem(400, "invalid", "failure");
    settle(delivery, "'action':'fail','failure':{'text':'x'}").isProblem(400, "invalid", "type");
    api.post("/v1/queues/q/settlements", "[{'id':'1','token':'no token!','action':'ack'}]")
        .isProblem(400, "invalid", "token");
    api.post("/v1/queues/q/settlements", "[]").isProblem(400, "invalid", "no settlements");
    settle(delivery, "'action':'ack'").is(200);
  }

  @Test
  void longReasons_areKeptCut() {
    String reason = "x".repeat(2 << 20);
    settle(claim("1"), "'action':'bury','reason':'" + reason + "'").is(200);
    assertThat(api.get("/v1/queues/q/messages/1").at("/reason").asString()).contains("xxx");
    settle(claim("2"), "'action':'retry','delay':'1h','reason':'" + reason + "'").is(200);
    assertThat(api.get("/v1/queues/q/messages/2").at("/failures/0/error").asString())
        .contains("xxx");
  }

  @Test
  void payloadOfARepeat_hasTheLimitOfAllPayloads() {
    JsonNode delivery = claim("1");
    String repeat = "'action':'repeat','delay':'1h',";
    int most = 1 << 20;
    settle(delivery, repeat + "'payload':['" + "x".repeat(most) + "']").is(413);
    String base64 = Base64.getEncoder().encodeToString(new byte[most + 1]);
    settle(delivery, repeat + "'payloadBase64':'" + base64 + "'").is(413);
    settle(delivery, repeat + "'payload':['" + "x".repeat(most - 4) + "']").is(200);
  }

  @Test
  void pollsOfACaller_areLimited() {
    try (ApiDriver few =
        new ApiDriver(
            "memory:",
            builder -> builder.limits(new HttpLimits(3, 2, 20_000, 4, 1 << 20, 64 << 20)))) {
      few.add("other", "", Right.CONSUME);
      TestHead head = TestHead.of("POST", CLAIMS, "Content-Type", "application/json");
      byte[] body = "{\"wait\":\"60s\"}".getBytes(StandardCharsets.UTF_8);
      WatchedClient client = new WatchedClient();
      CompletableFuture<ApiDriver.Response> one = few.start(head, body, client);
      CompletableFuture<ApiDriver.Response> two = few.start(head, body, client);
      ApiDriver.Response third = ApiDriver.await(few.start(head, body, client));
      third.isProblem(429, "too-many", "2 polls");
      assertThat(third.headers()).containsKey("Retry-After");
      CompletableFuture<ApiDriver.Response> other =
          few.start(
              TestHead.of(
                  "POST",
                  CLAIMS,
                  "Content-Type",
                  "application/json",
                  "Authorization",
                  "Bearer other"),
              body,
              client);
      assertThat(other).isNotDone();
      few.api.drain();
      ApiDriver.await(one);
      ApiDriver.await(two);
      ApiDriver.await(few.start(head, body, client)).is(200);
    }
  }

  @Test
  void claimingWorker_isListed_withItsFigures_andObeysAPause() {
    String worker = "'worker':{'name':'py-1','host':'web-7','pid':4711,'concurrency':8}";
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
    ApiDriver.Response claimed = api.post(CLAIMS, "{'wait':'5s'," + worker + "}").is(200);
    assertThat(claimed.at("/command").asString()).isEqualTo("RUN");
    settle(claimed.at("/deliveries/0"), "'action':'ack'").is(200);
    JsonNode listed = api.get("/v1/workers?queue=q").at("/workers/0");
    assertThat(listed.get("name").asString()).isEqualTo("py-1");
    assertThat(listed.get("host").asString()).isEqualTo("web-7");
    assertThat(listed.get("concurrency").asInt()).isEqualTo(8);
    assertThat(api.get("/v1/queues/q/lateness").at("/count").asInt()).isEqualTo(1);

    String id =
        api.punctual.workers().stream()
            .filter(w -> w.queue().equals("q"))
            .findFirst()
            .orElseThrow()
            .id();
    String pause = "/v1/workers/" + id + "/pause";
    api.add("other", "other.", Right.OPERATE);
    api.send(TestHead.of("PUT", pause, "Authorization", "Bearer other"), new byte[0])
        .isProblem(404, "not-found", "worker");
    api.send(TestHead.of("PUT", pause), new byte[0]).is(202);
    api.post("/v1/queues/q/messages", "{'id':'2','payload':1}").is(201);
    ApiDriver.Response paused = api.post(CLAIMS, "{'wait':'10ms'," + worker + "}").is(200);
    assertThat(paused.at("/command").asString()).isEqualTo("PAUSE");
    assertThat(paused.at("/deliveries").size()).isZero();
    api.delete(pause).is(202);
    ApiDriver.Response running = api.post(CLAIMS, "{'wait':'5s'," + worker + "}").is(200);
    assertThat(running.at("/deliveries/0/id").asString()).isEqualTo("2");
    api.api.drain();
    assertThat(settle(running.at("/deliveries/0"), "'action':'ack'").at("/command").asString())
        .isEqualTo("STOP");
  }

  /** The message that comes after the pause is for another worker. */
  @Test
  void pause_endsTheWaitingClaimOfItsWorkerAlone_atOnce() {
    CompletableFuture<ApiDriver.Response> paused = waitingClaim("paused");
    api.send(TestHead.of("PUT", "/v1/workers/" + workerId("paused") + "/pause"), new byte[0])
        .is(202);
    CompletableFuture<ApiDriver.Response> other = waitingClaim("other");
    api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
    assertEndedByAPause(paused);
    JsonNode delivery = ApiDriver.await(other).is(200).at("/deliveries/0");
    assertThat(delivery.get("id").asString()).isEqualTo("1");
    assertThat(delivery.get("attempt").asInt()).isEqualTo(1);
  }

  @Test
  void pauseThatTheProcessLearnsLater_endsTheWaitingClaimToo() {
    CompletableFuture<ApiDriver.Response> paused = waitingClaim("paused");
    api.punctual.pauseWorker(workerId("paused"));
    assertEndedByAPause(paused);
  }

  @Test
  void pauseInTheMomentInWhichAClaimBeginsToWait_endsItToo() {
    Client pausing =
        new Client() {
          @Override
          public boolean isWatched() {
            return true;
          }

          @Override
          public void onGone(Runnable action) {
            api.punctual.pauseWorker(workerId("paused"));
          }
        };
    assertEndedByAPause(poll("{'wait':'60s','worker':{'name':'paused'}}", pausing));
  }

  private CompletableFuture<ApiDriver.Response> waitingClaim(String worker) {
    WatchedClient client = new WatchedClient();
    CompletableFuture<ApiDriver.Response> claim =
        poll("{'wait':'60s','max':10,'worker':{'name':'" + worker + "'}}", client);
    await().until(client::isWaiting);
    return claim;
  }

  private String workerId(String name) {
    return api.punctual.workers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow()
        .id();
  }

  private static void assertEndedByAPause(CompletableFuture<ApiDriver.Response> claim) {
    ApiDriver.Response ended = ApiDriver.await(claim).is(200);
    assertThat(ended.at("/deliveries").size()).isZero();
    assertThat(ended.at("/command").asString()).isEqualTo("PAUSE");
  }

  @Test
  void requestsOfACaller_areLimited() {
    HttpLimits limits = new HttpLimits(1, 1, 1, 1, 1 << 20, 64 << 20);
    try (ApiDriver few = new ApiDriver("memory:", builder -> builder.limits(limits))) {
      few.add("other", "", Right.OBSERVE);
      CompletableFuture<ApiDriver.Response> poll =
          few.start(
              TestHead.of("POST", CLAIMS, "Content-Type", "application/json"),
              "{\"wait\":\"60s\"}".getBytes(StandardCharsets.UTF_8),
              new WatchedClient());
      few.get("/v1/queues").isProblem(429, "too-many", "1 requests in flight");
      few.get("/v1/queues", "Authorization", "Bearer other").is(200);
      few.api.drain();
      ApiDriver.await(poll).is(200);
      few.get("/v1/queues").is(200);
    }
  }

  @Test
  void callerWithManyWorkers_doesNotHideTheWorkersOfOthers() {
    api.add("noisy", "noise.", Right.CONSUME);
    String wide = "ä".repeat(90);
    for (int i = 0; i < 900; i++) {
      api.post(
              "/v1/queues/noise.q/claims",
              "{'worker':{'name':'%s%d','host':'%s'}}".formatted(wide, i, wide),
              "Authorization",
              "Bearer noisy")
          .is(200);
    }
    api.post(CLAIMS, "{'worker':{'name':'quiet','host':'web-7'}}").is(200);
    await()
        .until(
            () ->
                api.get("/v1/workers?queue=q").at("/workers/0/name").asString("").equals("quiet"));
    assertThat(api.get("/v1/workers?queue=noise.q").at("/workers").size()).isBetween(100, 600);
  }
}
