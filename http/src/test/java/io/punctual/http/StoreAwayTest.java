package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.event.Event;
import io.punctual.http.exchange.Client;
import io.punctual.http.route.Route;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A store that is away during a request: the answer says truly whether the change was done. */
final class StoreAwayTest {
  private static final String PURGE =
      "{'id':'t','queue':'q','action':'purge','states':['scheduled']}";

  /** The routes that answer without the store, as those of webhooks do here. */
  private static final Set<String> WITHOUT = Set.of("/openapi.json", "/v1/caller", "/v1/events");

  private static String body(Route route) {
    String path = route.template();
    return switch (route.method()) {
      case "PATCH" -> "{'delay':'1h'}";
      case "PUT" -> path.contains("limits") ? "{'rate':10}" : message(path);
      case "POST" ->
          path.endsWith("/claims")
              ? "{}"
              : path.endsWith("/settlements")
                  ? "[{'id':'m','token':'1.1','action':'ack'}]"
                  : path.endsWith("/tasks")
                      ? PURGE
                      : path.endsWith("/tokens") ? "{'id':'n','role':'r'}" : message(path);
      default -> "";
    };
  }

  private static String message(String path) {
    return path.endsWith("/pause") || path.endsWith("/run") || path.endsWith("/redrive")
        ? ""
        : "{'payload':1,'delay':'1h'}";
  }

  private static CompletableFuture<ApiDriver.Response> start(ApiDriver api, Route route) {
    String target = route.template().replace("{queue}", "q").replaceAll("\\{[a-z]+}", "m");
    String query =
        target.endsWith("/messages") && route.method().equals("GET")
            ? "?state=ready"
            : route.query().contains("id") ? "?id=m" : "";
    String json = body(route).replace('\'', '"');
    TestHead head =
        json.isEmpty()
            ? TestHead.of(route.method(), target + query)
            : TestHead.of(route.method(), target + query, "Content-Type", "application/json");
    return api.start(head, json.getBytes(StandardCharsets.UTF_8), Client.UNWATCHED);
  }

  @Test
  void everyRoute_saysThatAKilledStoreIsAway_andWhetherItsChangeWasDone() {
    everyRouteTellsTheTruth(RedisProcess::kill);
  }

  @Test
  @Tag("extended")
  void everyRoute_saysThatAFrozenStoreIsAway_andWhetherItsChangeWasDone() {
    everyRouteTellsTheTruth(RedisProcess::freeze);
  }

  private static void everyRouteTellsTheTruth(Consumer<RedisProcess> end) {
    try (RedisProcess redis = RedisProcess.start();
        ApiDriver api = new ApiDriver(redis.url() + "?operationTimeout=1s", builder -> builder)) {
      api.roles.put("r", Set.of());
      fill(api);
      end.accept(redis);
      Map<Route, CompletableFuture<ApiDriver.Response>> answers = new LinkedHashMap<>();
      for (Route route : api.api.routes()) {
        boolean isOfWebhook = route.template().startsWith("/v1/webhooks");
        if (!WITHOUT.contains(route.template()) && !route.isScan() && !isOfWebhook) {
          answers.put(route, start(api, route));
        }
      }
      answers.forEach(
          (route, answer) -> {
            ApiDriver.Response response = ApiDriver.await(answer);
            String what = route.method() + " " + route.template() + ": " + response.text();
            assertThat(response.status()).as(what).isIn(503, 504);
            String outcome = response.at("/outcome").asString();
            assertThat(outcome)
                .as(what)
                .isEqualTo(response.status() == 503 ? "not-done" : "unknown");
            assertThat(response.headers().containsKey("Retry-After"))
                .as(what)
                .isEqualTo(response.status() == 503);
          });
    }
  }

  private static void fill(ApiDriver api) {
    String json = "{'id':'m','payload':1,'delay':'1h'}";
    await().until(() -> api.post("/v1/queues/q/messages", json).status() < 300);
  }

  private static void withRedisThatDies(Predicate<Event> moment, Used used) {
    WheelTimer timer = WheelTimer.create();
    AtomicBoolean lives = new AtomicBoolean(true);
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start();
        Punctual punctual =
            Punctual.builder()
                .store(Stores.open(StoreUrl.parse(redis.url()), timer))
                .timer(timer)
                .operationTimeout(Duration.ofSeconds(3))
                .observer(
                    event -> {
                      if (moment.test(event) && lives.getAndSet(false)) {
                        redis.kill();
                      }
                    })
                .build();
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      fill(api);
      used.by(api, redis);
    } finally {
      timer.close();
    }
  }

  /** What a test does with a store that dies. */
  private interface Used {
    void by(ApiDriver api, RedisProcess redis);
  }

  private static JsonNode ended(ApiDriver api) {
    JsonNode[] task = new JsonNode[1];
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              ApiDriver.Response response = api.get("/v1/tasks/t");
              task[0] = response.json();
              return response.status() == 200
                  && !task[0].get("state").asString().matches("WAITING|RUNNING");
            });
    return task[0];
  }

  @Test
  void taskWhoseRecordIsNotWritten_hasBegun() {
    withRedisThatDies(
        event ->
            event instanceof Event.MessageScheduled scheduled
                && scheduled.queue().startsWith("punctual.server.task"),
        (api, redis) -> {
          api.post("/v1/tasks", PURGE.replace("{", "{'delay':'1s',")).is(202);
          redis.restart();
          assertThat(ended(api).get("changed").asInt()).isEqualTo(1);
        });
  }

  @Test
  void cancelOfATaskThatCantBeRecorded_isSaidToBeDone_andCanBeRepeated() {
    try (RedisProcess redis = RedisProcess.start();
        ApiDriver api = new ApiDriver(redis.url(), builder -> builder)) {
      fill(api);
      api.post("/v1/tasks", PURGE.replace("{", "{'delay':'1h',")).is(202);
      redis.ask("CONFIG", "SET", "maxmemory", "1");

      ApiDriver.Response cancelled = api.delete("/v1/tasks/t");
      cancelled.isProblem(504, "not-confirmed", "send the request again");
      assertThat(cancelled.at("/outcome").asString()).isEqualTo("done");

      redis.ask("CONFIG", "SET", "maxmemory", "0");
      await().until(() -> api.delete("/v1/tasks/t").status() == 200);
      assertThat(ended(api).get("state").asString()).isEqualTo("CANCELLED");
    }
  }

  /** Returns a memory store whose second deletion of a queue can't be sent. */
  private static Store withoutSecondDelete(Store store) {
    AtomicInteger deletions = new AtomicInteger();
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("delete") && deletions.incrementAndGet() == 2) {
                return CompletableFuture.failedFuture(
                    new Partition.NotSentException("The store is away", null));
              }
              return method.invoke(store, arguments);
            });
  }

  @Test
  void deletionOfAQueueThatFailsAfterItsMessages_isNotSaidToBeUndone() {
    WheelTimer timer = WheelTimer.create();
    Store store = withoutSecondDelete(Stores.open(StoreUrl.parse("memory:"), timer));
    try (Punctual punctual = Punctual.builder().store(store).timer(timer).build();
        ApiDriver api = new ApiDriver(punctual, builder -> builder)) {
      fill(api);
      String delete = "/v1/queues/q?withMessages=true&confirm=q";
      ApiDriver.Response answer = api.delete(delete);
      answer.isProblem(504, "in-doubt", "are deleted");
      assertThat(answer.at("/outcome").asString()).isEqualTo("unknown");
      await().until(() -> api.get("/v1/audit").json().findValuesAsString("status").contains("504"));
      api.delete(delete).is(204);
    } finally {
      timer.close();
    }
  }
}
