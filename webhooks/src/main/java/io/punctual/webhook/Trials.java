package io.punctual.webhook;

import io.punctual.Delivery;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.http.webhook.WebhookState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trials of open circuits. Each open circuit has a message that is due every 30 seconds, so
 * that exactly one process tries the target. Thread-safe.
 */
final class Trials {
  private static final Logger LOG = LoggerFactory.getLogger(Trials.class);
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration ELSEWHERE = Duration.ofSeconds(5);
  private static final int MOST = 256;

  private final Context context;
  private final Targets targets;
  private @Nullable Worker worker;
  private boolean isStopped;

  Trials(Context context, Targets targets) {
    this.context = context;
    this.targets = targets;
  }

  /** Begins as soon as the store answers. */
  void start() {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(context.records())
            .thenCompose(Records::trials)
            .thenAccept(this::work)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    later(AGAIN, this::start);
                  }
                });
  }

  /**
   * Compares the open circuits with the store, again and again. A write that has failed can leave a
   * circuit open in this process alone, or without a trial, and then no trial would ever close it.
   */
  void watch() {
    for (Target target : targets.all()) {
      CompletableFuture<?> unused =
          CompletableFuture.completedFuture(target)
              .thenCompose(this::check)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      LOG.debug("{} is compared later", target.spec().name(), failure);
                    }
                  });
    }
    later(Target.TRIAL, this::watch);
  }

  private CompletionStage<?> check(Target target) {
    if (target.state().kind() != WebhookState.Kind.OPEN) {
      return CompletableFuture.completedFuture(null);
    }
    String name = target.spec().name();
    return context
        .records()
        .state(name)
        .thenCompose(
            stored -> {
              if (stored.isPresent() && stored.get().kind() == WebhookState.Kind.OPEN) {
                return context.isReadOnly().getAsBoolean()
                    ? CompletableFuture.completedFuture(null)
                    : context.records().scheduleTrial(name, Target.TRIAL);
              }
              target.apply(stored.orElseGet(() -> WebhookState.on(context.clock().instant())));
              return CompletableFuture.completedFuture(null);
            });
  }

  private synchronized void later(Duration wait, Runnable work) {
    if (!isStopped) {
      try {
        context.timer().schedule(wait, work);
      } catch (RejectedExecutionException e) {
        // The process ends.
      }
    }
  }

  private synchronized void work(TimedQueue<byte[]> queue) {
    if (!isStopped) {
      worker =
          queue.workStages(
              WorkerOptions.builder()
                  .name("webhook trials")
                  .concurrency(MOST)
                  .retryPolicy(RetryPolicy.fixed(Target.TRIAL).maxAttempts(1_000_000))
                  .executor(context.executor())
                  .build(),
              this::attempt);
    }
  }

  private CompletionStage<?> attempt(Delivery<byte[]> trial) {
    if (context.isReadOnly().getAsBoolean() || targets.version() == null) {
      return trial.async().defer(ELSEWHERE);
    }
    return context
        .records()
        .state(trial.id())
        .thenCompose(
            state -> {
              if (state.isEmpty() || state.get().kind() != WebhookState.Kind.OPEN) {
                return CompletableFuture.completedFuture(null);
              }
              Optional<Target> target = targets.find(trial.id());
              return target.isEmpty()
                  ? trial.async().defer(ELSEWHERE)
                  : target
                      .get()
                      .attempt()
                      .thenCompose(
                          isOver ->
                              isOver
                                  ? CompletableFuture.completedFuture(null)
                                  : trial.async().defer(Target.TRIAL));
            });
  }

  synchronized CompletionStage<?> stop(Duration grace) {
    isStopped = true;
    return worker == null ? CompletableFuture.completedFuture(null) : worker.closeAsync(grace);
  }
}
