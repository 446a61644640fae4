package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.Sink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is true of many queues, and that nobody sees the queues of others in it. */
final class SurveyTest {
  private static final String[] AS = {"Authorization", "Bearer some"};

  private final ApiDriver api = ApiDriver.memory();

  @BeforeEach
  void fill() {
    api.add("some", "mine.", Right.OBSERVE);
    for (String queue : new String[] {"mine.a", "mine.b", "theirs"}) {
      api.post(
              "/v1/queues/" + queue + "/messages",
              "{'id':'same','payload':{'secret':1},'delay':'10m'}")
          .is(201);
    }
    api.post(
            "/v1/queues/theirs/messages",
            "{'id':'daily','payload':1,'recurrence':{'cron':'0 9 * * *','zone':'Europe/Berlin'}}")
        .is(201);
    api.post("/v1/queues/mine.a/messages", "{'id':'beat','payload':1,'recurrence':{'every':'1h'}}")
        .is(201);
    api.json("PUT", "/v1/queues/theirs/pause", "{'reason':'deployment'}").is(200);
    api.punctual.queue("mine.b", Codec.bytes()).work(delivery -> {});
    api.punctual.queue("theirs", Codec.bytes()).work(delivery -> {});
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void id_isFoundInAllQueuesOfTheCaller() {
    assertThat(api.get("/v1/find?id=same").json().findValuesAsString("queue"))
        .containsExactly("mine.a", "mine.b", "theirs");
    ApiDriver.Response some = api.get("/v1/find?id=same", AS).is(200);
    assertThat(some.json().findValuesAsString("queue")).containsExactly("mine.a", "mine.b");
    assertThat(some.text()).doesNotContain("secret");
    assertThat(api.get("/v1/find?id=none").at("/found").size()).isZero();
    api.get("/v1/find").isProblem(400, "invalid", "id");
  }

  @Test
  void overview_countsTheQueuesOfTheCaller() {
    JsonNode all = api.get("/v1/overview").is(200).json();
    assertThat(all.get("queues").asInt()).isEqualTo(3);
    assertThat(all.get("scheduled").asInt() + all.get("ready").asInt()).isEqualTo(5);
    assertThat(all.at("/attention/0/pauseReason").asString()).isEqualTo("deployment");
    long sum = 0;
    for (JsonNode span : all.at("/forecast/spans")) {
      sum += span.get("count").asLong();
    }
    assertThat(sum).isBetween(3L, 5L);
    JsonNode some = api.get("/v1/overview?window=2h", AS).is(200).json();
    assertThat(some.get("queues").asInt()).isEqualTo(2);
    assertThat(some.get("attention").size()).isZero();
  }

  @Test
  void recurringMessages_areListed() {
    JsonNode all = api.get("/v1/recurring").is(200).json();
    assertThat(all.findValuesAsString("id")).containsExactlyInAnyOrder("beat", "daily");
    assertThat(all.at("/recurring/0/message/nextOccurrences").size()).isPositive();
    assertThat(api.get("/v1/recurring", AS).json().findValuesAsString("id"))
        .containsExactly("beat");
    assertThat(api.get("/v1/recurring?queue=theirs", AS).at("/recurring").size()).isZero();
    api.get("/v1/recurring?cursor=x").isProblem(400, "invalid", "cursor");
  }

  @Test
  void workers_areListed() {
    assertThat(api.get("/v1/workers").is(200).json().findValuesAsString("queue"))
        .contains("mine.b", "theirs");
    assertThat(api.get("/v1/workers", AS).json().findValuesAsString("queue"))
        .containsExactly("mine.b");
    assertThat(api.get("/v1/workers?queue=theirs", AS).at("/workers").size()).isZero();
  }

  @Test
  void events_followTheOverview_untilTheReaderIsGone() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    Sink sink = sink(events, closed);
    for (int i = 0; i < HttpLimits.DEFAULT.eventStreams(); i++) {
      Answer answer = stream();
      ((Answer.Stream) answer.body()).start(sink);
      assertThat(events.poll(30, TimeUnit.SECONDS))
          .startsWith("event: overview\ndata: {")
          .contains("\"queues\":3")
          .endsWith("}\n\n");
    }
    assertThat(stream().status()).isEqualTo(429);
    api.api.drain();
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void events_goOn_withWhatHasChanged() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Sink sink = sink(events, new CompletableFuture<>());
    ((Answer.Stream) stream().body()).start(sink);
    assertThat(events.poll(30, TimeUnit.SECONDS)).contains("\"queues\":3");
    api.post("/v1/queues/one.more/messages", "{'payload':1,'delay':'1h'}").is(201);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              String part = events.poll();
              return part != null && part.contains("\"queues\":4");
            });
  }

  private static Sink sink(BlockingQueue<String> events, CompletableFuture<Void> closed) {
    return new Sink() {
      @Override
      public CompletionStage<Void> send(byte[] part) {
        events.add(new String(part, StandardCharsets.UTF_8));
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void close() {
        closed.complete(null);
      }
    };
  }

  private Answer stream() throws Exception {
    return api.api
        .accept(TestHead.of("GET", "/v1/events", "Accept", "text/event-stream"))
        .answer(new byte[0], Client.UNWATCHED)
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void caller_seesItsOwnRights() {
    JsonNode caller = api.get("/v1/caller", AS).is(200).json();

    assertThat(caller.get("name").asString()).isEqualTo("some");
    assertThat(caller.get("readOnly").asBoolean()).isFalse();
    assertThat(caller.at("/grants/0/right").asString()).isEqualTo("OBSERVE");
    assertThat(caller.at("/grants/0/prefix").asString()).isEqualTo("mine.");
  }

  @Test
  void verdict_namesTheLatestQueueAndWhatToDo() {
    api.post(
            "/v1/queues/mine.a/messages",
            "{'id':'late','payload':1,'dueAt':'2026-01-01T00:00:00Z'}")
        .is(201);

    await()
        .untilAsserted(
            () -> {
              JsonNode verdict =
                  api.get("/v1/overview?window=1m", AS).is(200).json().get("verdict");
              assertThat(verdict.get("kind").asString()).isEqualTo("bad");
              assertThat(verdict.get("title").asString()).startsWith("mine.a is late by ");
              assertThat(verdict.get("text").asString()).doesNotContain("theirs");
              assertThat(verdict.get("next").asString()).contains("worker");
            });
  }

  @Test
  void verdict_ofAnEmptyStoreSaysThatTheServerRuns() {
    api.add("none", "none.", Right.OBSERVE);

    JsonNode verdict =
        api.get("/v1/overview", "Authorization", "Bearer none").is(200).json().get("verdict");

    assertThat(verdict.get("kind").asString()).isEqualTo("calm");
  }

  @Test
  void liveQueues_areSortedByNeedNameOrLoad() {
    api.post(
            "/v1/queues/mine.b/messages", "[{'payload':1,'delay':'1h'},{'payload':1,'delay':'2h'}]")
        .is(200);

    JsonNode byNeed = api.get("/v1/overview/queues?sort=attention").is(200).json();
    assertThat(byNeed.at("/queues/0/queue").asString()).isEqualTo("theirs");
    assertThat(byNeed.at("/queues/0/state").asString()).isEqualTo("paused");
    assertThat(byNeed.at("/queues/0/due").size()).isEqualTo(20);
    JsonNode page = api.get("/v1/overview/queues?limit=2").is(200).json();
    assertThat(page.findValuesAsString("queue")).containsExactly("mine.a", "mine.b");
    JsonNode rest = api.get("/v1/overview/queues?cursor=" + page.get("next").asString()).json();
    assertThat(rest.findValuesAsString("queue")).containsExactly("theirs");
    assertThat(
            api.get("/v1/overview/queues?sort=busiest&prefix=mine.&limit=1")
                .json()
                .findValuesAsString("queue"))
        .containsExactly("mine.b");
    assertThat(api.get("/v1/overview/queues?sort=dead", AS).json().findValuesAsString("queue"))
        .containsExactlyInAnyOrder("mine.a", "mine.b");
    api.get("/v1/overview/queues?sort=dead&cursor=mine.a").isProblem(400, "invalid", "cursor");
  }

  @Test
  void queue_hasItsLatenessAndDiagnosis() {
    JsonNode lateness = api.get("/v1/queues/mine.b/lateness").is(200).json();
    assertThat(lateness.at("/count").asLong()).isZero();
    JsonNode diagnosis = api.get("/v1/queues/theirs/diagnosis").is(200).json();
    assertThat(diagnosis.get("cause").asString()).isEqualTo("PAUSED");
    api.get("/v1/queues/none/diagnosis").isProblem(404, "not-found", "queue");
    api.get("/v1/queues/theirs/lateness", AS).is(403);
  }

  @Test
  void leaseThatHasEnded_andIsNotClaimedAgain_isLate() {
    api.post("/v1/queues/left/messages", "{'id':'a','payload':1}").is(201);
    JsonNode held = api.post("/v1/queues/left/claims", "{'lease':'1s'}").is(200).json();
    assertThat(held.get("deliveries").size()).isOne();
    await().until(() -> api.get("/v1/queues/left/diagnosis").is(200).at("/late").asBoolean());
    assertThat(api.get("/v1/queues/left/diagnosis").at("/cause").asString()).isEqualTo("NO_WORKER");
  }
}
