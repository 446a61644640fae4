package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Punctual;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.config.ServerConfig;
import io.punctual.server.jetty.Problems;
import io.punctual.view.Outcome;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the calls that a server makes before it is ready. */
class WarmUpTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Answer NOT_FOUND = Problems.of(Outcome.NOT_FOUND, "none");

  private record Head(String path) implements RequestHead {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public @Nullable String query() {
      return null;
    }

    @Override
    public Set<String> headerNames() {
      return Set.of();
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public String remoteAddress() {
      return "127.0.0.1";
    }

    @Override
    public boolean isSecure() {
      return false;
    }

    @Override
    public @Nullable X509Certificate clientCertificate() {
      return null;
    }
  }

  private static int messagesAfterCall(String path) {
    try (WarmUp warmUp = new WarmUp()) {
      BodilessCall call = BodilessCall.of(NOT_FOUND);
      assertThat(warmUp.endedBy(head -> call).apply(new Head(path))).isSameAs(call);
      assertThat(warmUp.isOver()).isFalse();
      warmUp.begin();
      await().atMost(PATIENCE).until(warmUp::isOver);
      return warmUp.passed();
    }
  }

  @Test
  void warmUp_passesMessagesThroughDespiteHealthChecks() {
    assertThat(messagesAfterCall("/readyz")).isPositive();
  }

  @Test
  void warmUp_callArrives_endsAtOnce() {
    assertThat(messagesAfterCall("/v1/queues")).isZero();
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
        .accept(new Head("/readyz"))
        .answer(new byte[0], Client.UNWATCHED)
        .toCompletableFuture()
        .join()
        .status();
  }

  @Test
  void server_startsWarmingUp_isReadyAfterItAndKeepsNothingOfIt() throws IOException {
    ServerConfig.Options options = new ServerConfig.Options(null, "memory:", null, null, 0);
    try (PunctualServer server = PunctualServer.startAndWarmUp(options, Map.of());
        RawClient client = RawClient.connect(server.address().getPort())) {
      await()
          .atMost(PATIENCE)
          .until(() -> client.request("GET /readyz HTTP/1.1", "").status() == 200);

      assertThat(client.request("GET /v1/queues HTTP/1.1", "").text()).contains("\"queues\":[]");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  Thread.getAllStackTraces().keySet().stream()
                      .noneMatch(thread -> thread.getName().equals("punctual-warm-up")));
    }
  }
}
