package io.punctual.internal.handler;

import io.punctual.SettleOutcome;
import io.punctual.internal.delivery.HeldLease;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Finds out whether a transaction that settled a delivery was committed, if the commit is not known
 * when the handler ends. The probe extends the lease. This fails if the settlement was committed,
 * because a settlement ends the lease. The probe repeats the request while the transaction is open
 * or the store does not answer, until shortly before the end of the lease, or until the listener
 * stops it. If the outcome is still unknown then, and the transaction rolls back, the message is
 * delivered again after the end of the lease. Thread-safe.
 */
final class CommitProbe {
  private static final Logger log = Logs.of(CommitProbe.class);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Environment env;
  private final HeldLease held;
  private final long leaseMillis;
  private final Executor executor;
  private final Listener listener;
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Receives the result. */
  interface Listener {
    /** Runs on the executor if the transaction rolled back. */
    void rolledBack();

    /** Runs once, at the end of the probe; if {@link #rolledBack} runs, then after it. */
    void ended();

    /** Returns whether the probe must send no further requests. */
    boolean isStopped();
  }

  CommitProbe(
      Environment env, HeldLease held, long leaseMillis, Executor executor, Listener listener) {
    this.env = env;
    this.held = held;
    this.leaseMillis = leaseMillis;
    this.executor = executor;
    this.listener = listener;
  }

  void start() {
    try {
      CompletableFuture<?> unused =
          held.probe(leaseMillis).whenComplete((outcome, failure) -> answered(outcome));
    } catch (RuntimeException | Error e) {
      answered(null);
    }
  }

  private void answered(@Nullable SettleOutcome outcome) {
    try {
      if (outcome == null && againLater()) {
        return;
      }
      if (outcome == null || outcome == SettleOutcome.LEASE_LOST) {
        end();
      } else {
        executor.execute(this::rolledBack);
      }
    } catch (RuntimeException | Error e) {
      end(); // first, because the log may throw, too
      log.warn("The client can't learn whether a transaction has rolled back", e);
    }
  }

  private boolean againLater() {
    if (listener.isStopped() || held.remainingNanos(env.nanoTime()) <= PAUSE_NANOS) {
      return false;
    }
    try {
      env.timer().schedule(PAUSE_NANOS, this::start);
      return true;
    } catch (RejectedExecutionException timerClosed) {
      return false;
    }
  }

  private void rolledBack() {
    try {
      listener.rolledBack();
    } finally {
      end();
    }
  }

  private void end() {
    if (ended.compareAndSet(false, true)) {
      listener.ended();
    }
  }
}
