package io.punctual.server;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Punctual;
import io.punctual.http.HttpService;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.BodilessCall;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.jetty.Problems;
import io.punctual.view.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /livez}, whether the process lives, {@code /readyz}, whether the store answers,
 * and {@code /metrics}. The meters name all queues, so that only a caller who may observe all
 * queues sees them.
 */
final class OperationsService implements HttpService {
  private static final Set<String> PATHS = Set.of("/livez", "/readyz", "/metrics");
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final Punctual punctual;
  private final PrometheusMeterRegistry meters;
  private final Authenticator authenticator;
  private final BooleanSupplier isWarm;
  private final ExecutorService pings = thread("punctual-readyz");

  /** Not the thread of the pings, because the list of many meters takes long. */
  private final ExecutorService scrapes = thread("punctual-metrics");

  private @Nullable CompletableFuture<Answer> ping;
  private volatile boolean draining;

  /**
   * Creates it.
   *
   * @param isWarm returns whether the server is warm; until then it is not ready
   */
  OperationsService(
      Punctual punctual,
      PrometheusMeterRegistry meters,
      Authenticator authenticator,
      BooleanSupplier isWarm) {
    this.punctual = punctual;
    this.isWarm = isWarm;
    this.meters = meters;
    this.authenticator = authenticator;
  }

  private static ExecutorService thread(String name) {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread created = new Thread(task, name);
          created.setDaemon(true);
          return created;
        });
  }

  static boolean has(String path) {
    return PATHS.contains(path);
  }

  @Override
  public Call accept(RequestHead head) {
    if (!head.method().equals("GET") && !head.method().equals("HEAD")) {
      return BodilessCall.of(
          Problems.of(Outcome.METHOD_NOT_ALLOWED, "Use GET or HEAD", "Allow", "GET, HEAD"));
    }
    Answer tooLarge = Problems.of(Outcome.TOO_LARGE, "This request has no body");
    return switch (head.path()) {
      case "/livez" -> new BodilessCall(0, tooLarge, () -> done(text(200, "alive\n")));
      case "/readyz" -> new BodilessCall(0, tooLarge, this::ready);
      default -> metrics(head, tooLarge);
    };
  }

  private Call metrics(RequestHead head, Answer tooLarge) {
    try {
      if (!authenticator.authenticate(head).may(Right.OBSERVE, "")) {
        return BodilessCall.of(
            Problems.of(Outcome.FORBIDDEN, "The metrics need the right to observe all queues"));
      }
    } catch (UnauthenticatedException e) {
      return BodilessCall.of(
          Problems.of(
              Outcome.UNAUTHENTICATED,
              String.valueOf(e.getMessage()),
              "WWW-Authenticate",
              "Bearer"));
    }
    return new BodilessCall(
        0,
        tooLarge,
        () -> CompletableFuture.supplyAsync(() -> text(200, meters.scrape()), scrapes));
  }

  private static CompletionStage<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static Answer text(int status, String text) {
    return new Answer(
        status,
        Map.of("Content-Type", TEXT, "Cache-Control", "no-store"),
        new Answer.Bytes(text.getBytes(StandardCharsets.UTF_8)),
        Answer.Written.NOTHING);
  }

  /** Asks the store, once for all who ask at the same time. */
  private synchronized CompletionStage<Answer> ready() {
    if (draining) {
      return done(Problems.of(Outcome.CLOSED, "The server ends"));
    }
    if (!isWarm.getAsBoolean()) {
      return done(text(503, "warming up\n"));
    }
    if (ping == null || ping.isDone()) {
      ping =
          CompletableFuture.supplyAsync(() -> punctual.ping(PATIENCE), pings)
              .handle(
                  (latency, failure) ->
                      failure == null
                          ? text(200, "ready\n")
                          : Problems.of(Outcome.UNAVAILABLE, "The store does not answer"));
    }
    return ping;
  }

  @Override
  public void drain() {
    draining = true;
  }

  @Override
  public void close() {
    pings.shutdownNow();
    scrapes.shutdownNow();
  }
}
