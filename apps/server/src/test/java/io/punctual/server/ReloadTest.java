package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a reload changes its keys at once, and that all else goes on. */
class ReloadTest {
  private static final String[] JSON = {"Content-Type", "application/json"};
  private static final String MESSAGE = "{\"payload\":1}";

  @TempDir private Path folder;

  private static CompletableFuture<HttpResponse<String>> poll(TestServer server) {
    return CompletableFuture.supplyAsync(
        () ->
            server.send(
                "POST",
                "/v1/queues/q/claims",
                "{\"wait\":\"60s\",\"worker\":{\"name\":\"waiter\"}}",
                JSON));
  }

  private static int schedule(TestServer server) {
    return server.send("POST", "/v1/queues/q/messages", MESSAGE, JSON).statusCode();
  }

  private static String since(TestServer server) {
    return server.get("/v1/overview").body().replaceAll("(?s).*\"history\":\\{\"since\":\"", "");
  }

  @Test
  void historyAndPollsGoOn_whenLimitsChange() {
    try (TestServer server = TestServer.start(folder, "")) {
      String begin = since(server).substring(0, 24);
      CompletableFuture<HttpResponse<String>> poll = poll(server);
      await().until(() -> server.get("/v1/workers").body().contains("waiter"));

      assertThat(server.reload("limits: {polls: 7, pollsPerCaller: 5, streamsPerCaller: 3}"))
          .isTrue();

      assertThat(since(server)).startsWith(begin);
      assertThat(poll.isDone()).isFalse();
      assertThat(schedule(server)).isEqualTo(201);
      assertThat(poll.join().body()).contains("\"attempt\":1");
    }
  }

  @Test
  void limitsAreUsedAtOnce() {
    try (TestServer server = TestServer.start(folder, "")) {
      CompletableFuture<HttpResponse<String>> poll = poll(server);
      await().until(() -> server.get("/v1/workers").body().contains("waiter"));

      assertThat(server.reload("limits: {requestsPerCaller: 1}")).isTrue();
      assertThat(server.get("/v1/queues").statusCode()).isEqualTo(429);
      assertThat(server.reload("limits: {pollsPerCaller: 1}")).isTrue();
      assertThat(poll(server).join().statusCode()).isEqualTo(429);
      assertThat(server.reload("limits: {polls: 1}")).isTrue();
      assertThat(poll(server).join().body()).contains("All callers together have 1 polls");
      assertThat(server.reload("")).isTrue();
      assertThat(schedule(server)).isEqualTo(201);
      assertThat(poll.join().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void retriesAreUsedAtOnce() {
    try (TestServer server = TestServer.start(folder, "retries: [{queue: q, delays: [0s]}]")) {
      assertThat(schedule(server)).isEqualTo(201);
      fail(server);
      assertThat(server.get("/v1/queues/q").body()).contains("\"dead\":0");
      assertThat(server.reload("retries: [{maxAttempts: 2}]")).isTrue();
      fail(server);
      assertThat(server.get("/v1/queues/q").body()).contains("\"dead\":1");
      assertThat(server.reload("retries: [{maxAttempts: 0}]")).isFalse();
    }
  }

  /** Claims the message of the queue, and reports a failure. */
  private static void fail(TestServer server) {
    String claimed = server.send("POST", "/v1/queues/q/claims", "{\"wait\":\"10s\"}", JSON).body();
    String settlement =
        claimed.replaceFirst(
            "(?s).*\"id\":(\"[^\"]*\").*\"token\":(\"[^\"]*\").*",
            "[{\"id\":$1,\"token\":$2,\"action\":\"fail\",\"failure\":{\"type\":\"E\"}}]");
    assertThat(server.send("POST", "/v1/queues/q/settlements", settlement, JSON).body())
        .contains("DONE");
  }

  @Test
  void readOnlyModeIsUsedAtOnce_andTasksRunAgainAfterIt() {
    try (TestServer server = TestServer.start(folder, "")) {
      String begin = since(server).substring(0, 24);
      assertThat(schedule(server)).isEqualTo(201);
      assertThat(server.reload("readOnly: true")).isTrue();
      assertThat(schedule(server)).isEqualTo(403);
      assertThat(server.get("/v1/caller").body()).contains("\"readOnly\":true");

      assertThat(server.reload("")).isTrue();
      String purge = "{\"id\":\"t\",\"queue\":\"q\",\"action\":\"purge\",\"states\":[\"ready\"]}";
      assertThat(server.send("POST", "/v1/tasks", purge, JSON).statusCode()).isEqualTo(202);
      await().until(() -> server.get("/v1/tasks/t").body().contains("\"state\":\"DONE\""));
      assertThat(since(server)).startsWith(begin);
    }
  }
}
