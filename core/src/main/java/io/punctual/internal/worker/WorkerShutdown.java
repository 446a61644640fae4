package io.punctual.internal.worker;

import io.punctual.internal.runtime.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends a worker in steps. First the claims stop, and the messages of waiting handlers are released.
 * Handlers that still run at the end of the grace period are interrupted. The worker ends when the
 * last handler has returned and the store has answered every claim and settlement, or after a
 * bounded time. Thread-safe.
 */
final class WorkerShutdown {
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);
  private static final Duration FLUSH = Duration.ofSeconds(5);

  private final Environment env;
  private final Steps steps;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** Whether {@link Steps#begin} has returned, so that the worker may end. */
  private volatile boolean begun;

  private final AtomicBoolean flushing = new AtomicBoolean();
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /** The worker's part in each step. */
  interface Steps {
    /** Stops claims, and releases messages that no handler has received. */
    void begin();

    /** Interrupts the handlers that still run. */
    void interrupt();

    /** Returns whether no handler runs, and no message waits for a handler. */
    boolean isQuiet();

    /** Returns whether the store has answered every claim and settlement. */
    boolean isAnswered();

    /** Frees the worker's resources. */
    void end();
  }

  WorkerShutdown(Environment env, Steps steps) {
    this.env = env;
    this.steps = steps;
  }

  boolean isClosing() {
    return closing.get();
  }

  /** Completes when the worker has ended. */
  CompletableFuture<@Nullable Void> ended() {
    return ended;
  }

  /** Starts the shutdown, unless it has started before; completes when the worker has ended. */
  CompletableFuture<@Nullable Void> begin(Duration grace) {
    if (closing.compareAndSet(false, true)) {
      try {
        steps.begin();
      } finally {
        begun = true;
        try {
          env.orNow(grace, this::graceIsOver);
        } finally {
          check();
        }
      }
    }
    return ended;
  }

  private void graceIsOver() {
    steps.interrupt();
    if (!ended.isDone()) {
      env.orNow(AFTER_INTERRUPT, this::end);
    }
  }

  /**
   * Ends the worker if the shutdown has begun, no handler runs or waits, and the store has answered
   * every claim and settlement. Limits the wait for these answers.
   */
  void check() {
    if (!begun || !steps.isQuiet()) {
      return;
    }
    if (steps.isAnswered()) {
      end();
    } else if (flushing.compareAndSet(false, true)) {
      boolean limited = false;
      try {
        env.orNow(FLUSH, this::end);
        limited = true;
      } finally {
        flushing.set(limited);
      }
    }
  }

  private void end() {
    if (ending.compareAndSet(false, true)) {
      try {
        steps.end();
      } finally {
        ended.complete(null);
      }
    }
  }
}
