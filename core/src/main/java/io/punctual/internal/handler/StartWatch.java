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
 * Ends each {@link HandlerRun} that the executor has not started, shortly before its lease ends,
 * and gives its messages back. So the wait for a thread of a narrow executor counts as no attempt,
 * and the permits of tasks that an executor drops become free. Thread-safe.
 */
final class StartWatch<T> {
  private final Environment env;
  private final HandlerLog log;
  private final long leaseNanos;
  private final Collection<HandlerRun<T>> runs;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  StartWatch(Environment env, HandlerLog log, long leaseMillis, Collection<HandlerRun<T>> runs) {
    this.env = env;
    this.log = log;
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    this.runs = runs;
  }

  /** Notes that the executor has accepted a run. */
  void added() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      try {
        env.timer().schedule(leaseNanos / 6, this::look);
      } catch (RejectedExecutionException timerClosed) {
        scheduled.set(false);
      } catch (Throwable e) {
        scheduled.set(false);
        throw e;
      }
    }
  }

  private void look() {
    scheduled.set(false);
    long latest = env.nanoTime() + leaseNanos / 3;
    List<HandlerRun<T>> ended = new ArrayList<>();
    for (HandlerRun<T> run : runs.stream().sorted(HandlerRun.ORDER).toList()) {
      if (run.releaseIfWaitingAt(latest)) {
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
