package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.TimedQueue;
import io.punctual.http.route.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose clock is put forward or back, while that of the store goes on. */
final class ClockJumpTest {
  /** A stream has no end. */
  private static final Set<String> STREAMS = Set.of("/v1/events");

  private final AtomicReference<Duration> jump = new AtomicReference<>(Duration.ZERO);
  private final ApiDriver api =
      new ApiDriver("memory:", builder -> builder.clock(() -> Instant.now().plus(jump.get())));

  @AfterEach
  void close() {
    api.close();
  }

  private void bury(int count) {
    TimedQueue<byte[]> queue = api.punctual.queue("q", Codec.bytes());
    for (int i = 0; i < count; i++) {
      queue.schedule(new byte[] {1}, Duration.ZERO);
    }
    for (int buried = 0; buried < count; ) {
      for (var delivery : queue.claim(100, Duration.ofSeconds(30))) {
        delivery.bury("for the test");
        buried++;
      }
    }
  }

  private void readAll() {
    for (Route route : api.api.routes()) {
      boolean hasOther = route.template().matches(".*\\{(id|task|worker|webhook)}.*");
      if (route.method().equals("GET") && !hasOther && !STREAMS.contains(route.template())) {
        String query = route.template().endsWith("/messages") ? "?state=ready" : "";
        query = route.query().contains("id") ? "?id=m" : query;
        ApiDriver.Response response = api.get(route.template().replace("{queue}", "q") + query);
        assertThat(response.status()).as(route.template() + response.text()).isIn(200, 404);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P365D", "PT1H", "PT-1H", "P-365D"})
  void everyRead_isAnswered_andTasksRun(String far) {
    bury(3);
    api.post("/v1/queues/q/messages", "{'id':'m','payload':1,'delay':'1h'}").is(201);
    api.json("PUT", "/v1/queues/q/pause", "{'reason':'before'}").is(200);
    readAll();
    jump.set(Duration.parse(far));
    readAll();
    api.delete("/v1/queues/q/pause").is(200);
    String task =
        api.post("/v1/tasks", "{'queue':'q','action':'redrive'}").is(202).at("/id").asString();
    await().until(() -> api.get("/v1/tasks/" + task).at("/state").asString().equals("DONE"));
    assertThat(api.get("/v1/tasks/" + task).at("/changed").asInt()).isEqualTo(3);
    assertThat(api.get("/v1/queues/q").at("/dead").asInt()).isZero();
    await().until(() -> api.get("/v1/audit").at("/entries").size() == 3);
    jump.set(Duration.ZERO);
    readAll();
  }

  @Test
  void taskThatGoesOnInAnotherProcess_isComplete_thoughTheFirstClockWasBehind() {
    bury(30);
    jump.set(Duration.ofHours(-1));
    String task =
        api.post("/v1/tasks", "{'queue':'q','action':'redrive','rate':10}")
            .is(202)
            .at("/id")
            .asString();
    await().until(() -> api.get("/v1/queues/q").at("/dead").asInt() < 30);
    api.api.close();
    try (ApiDriver other =
        new ApiDriver(api.punctual, builder -> builder) {
          @Override
          public void close() {
            api.close();
          }
        }) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> other.get("/v1/tasks/" + task).at("/state").asString().equals("DONE"));
      assertThat(other.get("/v1/queues/q").at("/dead").asInt()).isZero();
    }
  }
}
