package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Right;
import io.punctual.http.exchange.Client;
import io.punctual.http.route.Route;
import io.punctual.kit.redis.RedisProcess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests that read a whole queue, or all queues, run one at a time. */
final class ScansTest {
  private static final Map<String, String> SCANS =
      Map.of(
          "/v1/find", "/v1/find?id=a",
          "/v1/recurring", "/v1/recurring",
          "/v1/queues/{queue}/dead/groups", "/v1/queues/q/dead/groups");

  private static CompletableFuture<ApiDriver.Response> start(
      ApiDriver api, String target, String token) {
    TestHead head = TestHead.of("GET", target, "Authorization", "Bearer " + token);
    return api.start(head, new byte[0], Client.UNWATCHED);
  }

  @Test
  void everyScan_isRefused_whileAnotherOneRuns() {
    try (RedisProcess redis = RedisProcess.start();
        ApiDriver api = new ApiDriver(redis.url() + "?operationTimeout=60s", builder -> builder)) {
      api.add("one", "", Right.OBSERVE);
      api.add("other", "", Right.OBSERVE);
      api.post("/v1/queues/q/messages", "{'payload':1,'delay':'1h'}").is(201);
      for (Route route : api.api.routes()) {
        assertThat(route.isScan())
            .as(route.template())
            .isEqualTo(SCANS.containsKey(route.template()));
      }
      SCANS.forEach(
          (template, target) -> {
            redis.freeze();
            CompletableFuture<ApiDriver.Response> first = start(api, target, "one");
            ApiDriver.Response second = ApiDriver.await(start(api, target, "one"));
            second.isProblem(429, "too-many", "not yet answered");
            assertThat(second.headers()).containsKey("Retry-After");
            boolean isOfQueue = template.contains("{queue}");
            CompletableFuture<ApiDriver.Response> others = start(api, target, "other");
            assertThat(others.isDone()).as(template).isEqualTo(isOfQueue);
            redis.thaw();
            List.of(first, others).forEach(ApiDriver::await);
            ApiDriver.await(first).is(200);
            ApiDriver.await(start(api, target, "one")).is(200);
          });
    }
  }
}
