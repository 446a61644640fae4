package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.event.Event;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.Sink;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Dispatch;
import io.punctual.http.route.Router;
import io.punctual.http.survey.Survey;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Requests of which only a part succeeds, and services that end while they are used. */
final class PartialFailuresTest {
  private static final String CLAIMS = "/v1/queues/q/claims";

  @Test
  void claimThatFailsAfterItsSettlements_tellsWhatTheyHaveDone() {
    WheelTimer timer = WheelTimer.create();
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual =
            Punctual.builder()
                .store(Stores.open(StoreUrl.parse(redis.url()), timer))
                .timer(timer)
                .operationTimeout(Duration.ofSeconds(3))
                .observer(
                    event -> {
                      if (event instanceof Event.MessageAcked) {
                        redis.kill();
                      }
                    })
                .build();
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
      JsonNode held = api.post(CLAIMS, "{'wait':'5s'}").is(200).at("/deliveries/0");
      String settle = "[{'id':'1','token':'" + held.get("token").asString() + "','action':'ack'}]";
      ApiDriver.Response answer = api.post(CLAIMS, "{'settle':" + settle + "}").is(200);
      assertThat(answer.at("/settled/0/outcome").asString()).isEqualTo("DONE");
      assertThat(answer.at("/deliveries").size()).isZero();
    } finally {
      timer.close();
    }
  }

  @Test
  void apiThatIsReplaced_endsPolls_withoutAskingWorkersToStop() {
    try (ApiDriver api = ApiDriver.memory()) {
      CountDownLatch waits = new CountDownLatch(1);
      Client client =
          new Client() {
            @Override
            public boolean isWatched() {
              return true;
            }

            @Override
            public void onGone(Runnable action) {
              waits.countDown();
            }
          };
      CompletableFuture<ApiDriver.Response> poll =
          api.start(
              TestHead.of("POST", CLAIMS, "Content-Type", "application/json"),
              "{\"wait\":\"60s\"}".getBytes(StandardCharsets.UTF_8),
              client);
      await().until(() -> waits.getCount() == 0);
      api.api.close();
      assertThat(ApiDriver.await(poll).is(200).at("/command").asString()).isEqualTo("RUN");
    }
  }

  @Test
  void groupsOfAQueueThatCantBe_areRefusedAgain_notTakenForAScanThatRuns() {
    try (ApiDriver api = ApiDriver.memory()) {
      String groups = "/v1/queues/" + "x".repeat(2_000) + "/dead/groups";
      int first = api.get(groups).status();
      assertThat(first).isIn(400, 404);
      assertThat(api.get(groups).status()).isEqualTo(first);
    }
  }

  @Test
  void streamOfACallerWhoseTokenHasEnded_ends() {
    try (ApiDriver api = ApiDriver.memory()) {
      api.add("guest", "", Right.OBSERVE);
      TestHead head = TestHead.of("GET", "/v1/events", "Authorization", "Bearer guest");
      Reader reader = new Reader(api.api.accept(head));
      await().until(() -> reader.first.getCount() == 0);
      api.remove("guest");
      await().until(() -> reader.closed.getCount() == 0);
    }
  }

  @Test
  void streamWhoseNextEventCanNotBePlanned_ends() {
    FailingTimer timer = new FailingTimer();
    try (Punctual punctual = Punctual.open("memory:");
        Survey survey =
            new Survey(
                new Queues(punctual), Clock.systemUTC(), timer, () -> 1, () -> false, null)) {
      Caller caller = new Caller("guest", Set.of(new Grant(Right.OBSERVE, "")));
      Dispatch dispatch =
          new Dispatch(
              new Router(survey.routes()),
              any -> caller,
              (any, status) -> {},
              () -> false,
              () -> 1);
      timer.fails = true;
      Reader reader = new Reader(dispatch.accept(TestHead.of("GET", "/v1/events")));
      await().until(() -> reader.closed.getCount() == 0);
    }
  }

  /** Reads a stream. */
  private static final class Reader implements Sink {
    final CountDownLatch first = new CountDownLatch(1);
    final CountDownLatch closed = new CountDownLatch(1);

    Reader(Call call) {
      Answer answer = call.answer(new byte[0], Client.UNWATCHED).toCompletableFuture().join();
      ((Answer.Stream) answer.body()).start(this);
    }

    @Override
    public CompletionStage<Void> send(byte[] part) {
      first.countDown();
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  @Test
  void tasksRun_whenTheStoreWasAwayAsTheApiBegan() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open(redis.url() + "?operationTimeout=300ms")) {
      punctual.ping(Duration.ofSeconds(10));
      redis.kill();
      try (ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
        await().until(() -> api.get("/v1/queues").status() == 503);
        redis.restart();
        await()
            .until(
                () ->
                    api.post("/v1/queues/q/messages", "{'payload':1,'delay':'1h'}").status()
                        == 201);
        String task =
            api.post("/v1/tasks", "{'queue':'q','action':'purge','states':['scheduled']}")
                .is(202)
                .at("/id")
                .asString();
        await().until(() -> api.get("/v1/tasks/" + task).at("/state").asString().equals("DONE"));
      }
    }
  }

  @Test
  void auditNamesTheWorkerThatWasPaused() {
    try (ApiDriver api = ApiDriver.memory()) {
      api.post(CLAIMS, "{'worker':{'name':'py-1'}}").is(200);
      String id =
          api.punctual.workers().stream()
              .filter(worker -> worker.queue().equals("q"))
              .findFirst()
              .orElseThrow()
              .id();
      api.send(TestHead.of("PUT", "/v1/workers/" + id + "/pause"), new byte[0]).is(202);
      await().until(() -> api.get("/v1/audit").json().findValuesAsString("id").contains(id));
    }
  }

  @Test
  void pollThatCanNotBeWatched_takesNoMessages() {
    Client failing =
        new Client() {
          @Override
          public boolean isWatched() {
            return true;
          }

          @Override
          public void onGone(Runnable action) {
            throw new IllegalStateException("injected");
          }
        };
    try (ApiDriver api = ApiDriver.memory()) {
      byte[] body = "{\"wait\":\"60s\"}".getBytes(StandardCharsets.UTF_8);
      TestHead poll = TestHead.of("POST", CLAIMS, "Content-Type", "application/json");
      ApiDriver.await(api.start(poll, body, failing)).is(500);
      api.post("/v1/queues/q/messages", "{'id':'1','payload':1}").is(201);
      assertThat(api.post(CLAIMS, "{'wait':'5s'}").at("/deliveries/0/id").asString())
          .isEqualTo("1");
    }
  }
}
