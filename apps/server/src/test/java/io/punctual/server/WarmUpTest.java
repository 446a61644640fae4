package io.punctual.server;

import static io.punctual.server.FailedStartTest.threads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Punctual;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.config.ServerConfig;
import io.punctual.server.jetty.Problems;
import io.punctual.view.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the calls that a server makes before it is ready. */
class WarmUpTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Answer NOT_FOUND = Problems.of(Outcome.NOT_FOUND, "none");

  private static WarmUp afterCalls(int count, String path) {
    WarmUp warmUp = new WarmUp();
    BodilessCall call = BodilessCall.of(NOT_FOUND);
    Function<RequestHead, Call> service = warmUp.endedBy(head -> call);
    for (int i = 0; i < count; i++) {
      assertThat(service.apply(new TestHead(path, null))).isSameAs(call);
    }
    warmUp.begin();
    return warmUp;
  }

  @ParameterizedTest
  @CsvSource({"100, /readyz", "100, /", "19, /v1/queues"})
  void warmUp_passesMessagesThroughDespiteHealthChecksAndFirstCalls(int count, String path)
      throws InterruptedException {
    try (WarmUp warmUp = afterCalls(count, path)) {
      await().atMost(PATIENCE).until(() -> warmUp.acked() > 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/queues", "/store/v1/calls"})
  void warmUp_twentyCallsHaveArrived_doesNothing(String path) throws InterruptedException {
    try (WarmUp warmUp = afterCalls(20, path)) {
      await().atMost(PATIENCE).until(warmUp::isOver);
      assertThat(warmUp.acked()).isZero();
    }
  }

  @Test
  void readiness_isFalseUntilTheWarmUpIsOver() {
    AtomicBoolean isWarm = new AtomicBoolean();
    try (Punctual punctual = Punctual.open("memory:");
        OperationsService service =
            new OperationsService(
                punctual,
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                head -> {
                  throw new AssertionError("asked for the caller");
                },
                isWarm::get)) {
      assertThat(status(service)).isEqualTo(503);
      isWarm.set(true);
      assertThat(status(service)).isEqualTo(200);
    }
  }

  private static int status(OperationsService service) {
    return service
        .accept(new TestHead("/readyz", null))
        .answer(new byte[0], Client.UNWATCHED)
        .toCompletableFuture()
        .join()
        .status();
  }

  @Test
  void server_startsWarmingUp_becomesReadyAndKeepsNothingOfIt() throws InterruptedException {
    ThreadGroup group = new ThreadGroup("warm-up");
    CompletableFuture<String> queues = new CompletableFuture<>();
    Thread starter =
        new Thread(
            group,
            () -> {
              try {
                queues.complete(queuesOfReadyServer());
              } catch (IOException | RuntimeException | Error e) {
                queues.completeExceptionally(e);
              }
            });
    starter.start();
    starter.join();
    assertThat(queues.join()).contains("\"queues\":[]");
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads(group)).isEmpty());
  }

  private static String queuesOfReadyServer() throws IOException {
    ServerConfig.Options options = new ServerConfig.Options(null, "memory:", null, null, 0);
    try (PunctualServer server = PunctualServer.startAndWarmUp(options, Map.of());
        RawClient client = RawClient.connect(server.address().getPort())) {
      await()
          .atMost(PATIENCE)
          .until(() -> client.request("GET /readyz HTTP/1.1", "").status() == 200);
      return client.request("GET /v1/queues HTTP/1.1", "").text();
    }
  }
}
