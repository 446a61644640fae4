package io.punctual.internal.handler;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends each {@link HandlerRun} of which a lease expired before the executor started it. Otherwise
 * the permits of tasks that an executor drops would stay in use forever. While there are runs, the
 * check is repeated once per lease length. Thread-safe.
 */
final class StartWatch<T> {
  private final Environment env;
  private final HandlerLog log;
  private final long leaseMillis;
  private final Collection<HandlerRun<T>> runs;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  StartWatch(Environment env, HandlerLog log, long leaseMillis, Collection<HandlerRun<T>> runs) {
    this.env = env;
    this.log = log;
    this.leaseMillis = leaseMillis;
    this.runs = runs;
  }

  /** Notes that the executor has accepted a run. */
  void added() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      try {
        env.timer().schedule(TimeUnit.MILLISECONDS.toNanos(leaseMillis), this::look);
      } catch (RejectedExecutionException timerClosed) {
        scheduled.set(false);
      }
    }
  }

  private void look() {
    scheduled.set(false);
    long now = env.nanoTime();
    List<HandlerRun<T>> ended = new ArrayList<>();
    for (HandlerRun<T> run : runs.stream().sorted(HandlerRun.ORDER).toList()) {
      if (run.releaseIfTooLate(now)) {
        ended.add(run);
      }
    }
    if (!ended.isEmpty()) {
      log.neverStarted(ended.stream().mapToInt(HandlerRun::size).sum());
    }
    if (!runs.isEmpty()) {
      added();
    }
  }
}
