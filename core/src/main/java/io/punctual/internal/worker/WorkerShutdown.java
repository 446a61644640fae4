package io.punctual.internal.worker;

import io.punctual.internal.runtime.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a worker's end: claims stop and waiting handlers are released; running handlers get
 * the grace, then an interrupt; the worker ends when the last handler has returned and every
 * settlement has its reply, or a bounded time later. Thread-safe.
 */
final class WorkerShutdown {
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);
  private static final Duration FLUSH = Duration.ofSeconds(5);

  private final Environment env;
  private final Steps steps;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean flushing = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  /** What the worker does in each step. */
  interface Steps {
    /** Stops claims and releases messages that no handler has seen. */
    void begin();

    /** Interrupts the handlers that still run. */
    void interrupt();

    /** Returns whether no handler runs or waits. */
    boolean isQuiet();

    /** Returns whether the store has answered every claim and settlement. */
    boolean isAnswered();

    /** Gives up the worker's resources. */
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

  /** Begins the end, if it has not begun; completes when the worker has ended. */
  CompletableFuture<@Nullable Void> begin(Duration grace) {
    if (closing.compareAndSet(false, true)) {
      steps.begin();
      env.timer().schedule(grace, this::graceIsOver);
      check();
    }
    return ended;
  }

  private void graceIsOver() {
    steps.interrupt();
    if (!ended.isDone()) {
      env.timer().schedule(AFTER_INTERRUPT, this::end);
    }
  }

  /** Ends the worker if a handler, a claim or a settlement was the last thing to wait for. */
  void check() {
    if (!isClosing() || !steps.isQuiet()) {
      return;
    }
    if (steps.isAnswered()) {
      end();
    } else if (flushing.compareAndSet(false, true)) {
      env.timer().schedule(FLUSH, this::end);
    }
  }

  private void end() {
    if (!ended.isDone()) {
      steps.end();
      ended.complete(null);
    }
  }
}
