package io.punctual.kit.simulation;

import io.punctual.spi.Partition.NotSentException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A process's connection to the engine. A request may be lost, delayed, reordered, or repeated
 * after it was applied; its answer may be lost or delayed. A request without an answer in time
 * fails, and it is unknown whether it was applied. While the connection is down, requests fail soon
 * and are certainly not sent. Not thread-safe.
 */
final class Transport {
  static final long TIMEOUT = 2 * Chance.SECOND;
  private static final long LATENCY = Chance.MILLI / 2;
  private static final long CONFIRMATION = 400 * Chance.MILLI;
  private static final long SLOW_MOST = 4 * Chance.SECOND;

  private final SimulatedProcess process;
  private final Scheduler scheduler;
  private final FaultSchedule weather;
  private final RunParameters parameters;
  private final Chance chance;
  private final Set<Request<?>> inFlight = new LinkedHashSet<>();
  private long lastArrival;
  private long lastAnswer;
  private long downUntil;
  private boolean closed;

  Transport(
      SimulatedProcess process,
      Scheduler scheduler,
      FaultSchedule weather,
      RunParameters parameters,
      Chance chance) {
    this.process = process;
    this.scheduler = scheduler;
    this.weather = weather;
    this.parameters = parameters;
    this.chance = chance;
  }

  /** A request that waits for its answer. */
  private static final class Request<T> {
    final CompletableFuture<T> answer = new CompletableFuture<>();
  }

  /** The result of an execution. */
  private record Executed<T>(@Nullable T value, @Nullable Throwable failure) {
    void give(CompletableFuture<T> waiting) {
      if (failure == null) {
        waiting.complete(value);
      } else {
        waiting.completeExceptionally(failure);
      }
    }
  }

  /** Repeats an applied call at the engine with the probability of the run, while faults last. */
  void mayArriveAgain(Runnable execution) {
    if (!weather.isFair() && chance.of(parameters.repeating())) {
      scheduler.schedule(latency(), execution);
    }
  }

  private boolean isConnected() {
    return !closed && scheduler.nanoTime() >= downUntil;
  }

  /** Sends a request; the engine runs {@code execution} when the request arrives. */
  <T extends @Nullable Object> CompletionStage<T> request(Supplier<CompletionStage<T>> execution) {
    Request<T> request = new Request<>();
    if (!isConnected()) {
      refuse(request.answer);
      return request.answer;
    }
    inFlight.add(request);
    scheduler.schedule(
        TIMEOUT,
        process,
        () -> fail(request, new IllegalStateException("simulated: no answer in time")));
    if (!isLost()) {
      arrive(request, execution);
    }
    return request.answer;
  }

  private <T> void refuse(CompletableFuture<T> answer) {
    NotSentException refused = new NotSentException("simulated: not connected", null);
    if (chance.of(0.5)) {
      answer.completeExceptionally(refused);
    } else {
      scheduler.schedule(
          chance.around(LATENCY), process, () -> answer.completeExceptionally(refused));
    }
  }

  private <T> void arrive(Request<T> request, Supplier<CompletionStage<T>> execution) {
    long at = scheduler.nanoTime() + latency();
    if (parameters.ordered()) {
      at = Math.max(at, lastArrival);
      lastArrival = at;
    }
    scheduler.schedule(
        at - scheduler.nanoTime(),
        () -> {
          Executed<T> result = execute(execution);
          if (!isLost()) {
            answerLater(request, result);
          }
        });
  }

  private static <T> Executed<T> execute(Supplier<CompletionStage<T>> execution) {
    List<Executed<T>> answers = new ArrayList<>(1);
    execution.get().whenComplete((value, failure) -> answers.add(new Executed<>(value, failure)));
    return answers.get(0);
  }

  private <T> void answerLater(Request<T> request, Executed<T> result) {
    long at = scheduler.nanoTime() + latency();
    if (parameters.ordered()) {
      at = Math.max(at, lastAnswer);
      lastAnswer = at;
    }
    scheduler.schedule(
        at - scheduler.nanoTime(),
        process,
        () -> {
          if (inFlight.remove(request)) {
            result.give(request.answer);
          }
        });
  }

  private void fail(Request<?> request, RuntimeException failure) {
    if (inFlight.remove(request)) {
      request.answer.completeExceptionally(failure);
    }
  }

  private boolean isLost() {
    return !weather.isFair() && chance.of(parameters.lossy());
  }

  private long latency() {
    boolean slow = !weather.isFair() && chance.of(parameters.slow());
    return slow ? chance.between(0L, SLOW_MOST) : chance.around(LATENCY);
  }

  /**
   * Returns the confirmation of a slow replica, which arrives in 400 ms. To be called when the
   * reply of the primary has arrived.
   */
  CompletionStage<@Nullable String> slowConfirmation() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    scheduler.schedule(CONFIRMATION, process, () -> confirmation.complete(null));
    return confirmation;
  }

  /**
   * Delivers a hint with the probability of the run, and may deliver it twice while faults last.
   */
  void hint(Runnable hint) {
    boolean connected = !closed && (parameters.hasOnlyHints() || scheduler.nanoTime() >= downUntil);
    if (connected && chance.of(parameters.hints())) {
      scheduler.schedule(latency(), process, hint);
      if (!weather.isFair() && chance.of(parameters.repeating())) {
        scheduler.schedule(latency(), process, hint);
      }
    }
  }

  /** Cuts the connection for {@code nanos}; the outcome of requests in flight is unknown. */
  void cut(long nanos) {
    downUntil = scheduler.nanoTime() + nanos;
    for (Request<?> request : List.copyOf(inFlight)) {
      scheduler.schedule(
          0, process, () -> fail(request, new IllegalStateException("simulated: cut")));
    }
  }

  void connect() {
    downUntil = 0;
  }

  void close() {
    closed = true;
  }
}
