package io.punctual.timer;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Detects that tasks block the timer thread and so delay all tasks behind them. The blocked thread
 * cannot report itself, so each thread that schedules a task checks for a stall. The timer thread
 * checks at the end of a batch. Safe for use by many threads.
 */
final class StallWatch {
  private static final long IDLE = Long.MAX_VALUE;

  private final long limitNanos;
  private final FailureReporter failures;
  private final AtomicLong reported = new AtomicLong(IDLE);

  private volatile @Nullable Thread thread;
  private volatile @Nullable Runnable running;

  /** The start time of the batch that is running; {@link #IDLE} if none is running. */
  private volatile long busySince = IDLE;

  StallWatch(long limitNanos, FailureReporter failures) {
    this.limitNanos = limitNanos;
    this.failures = failures;
  }

  void begin(long elapsed) {
    thread = Thread.currentThread();
    busySince = elapsed;
  }

  void next(Runnable task) {
    running = task;
  }

  void end(long elapsed) {
    look(elapsed);
    busySince = IDLE;
    running = null;
  }

  /** Reports a stall of the current batch, at most once. */
  void look(long elapsed) {
    long since = busySince;
    if (elapsed - since > limitNanos) {
      report(since, elapsed - since);
    }
  }

  private void report(long since, long nanos) {
    Runnable task = running;
    Thread stuck = thread;
    long before = reported.get();
    if (task == null
        || stuck == null
        || before == since
        || !reported.compareAndSet(before, since)) {
      return;
    }
    TimeoutException stall =
        new TimeoutException(
            "Timer thread "
                + stuck.getName()
                + " has been running tasks for "
                + nanos / 1_000_000
                + " ms, now task "
                + text(task)
                + ", and other tasks are delayed. Configure an executor for tasks that block.");
    stall.setStackTrace(stuck.getStackTrace());
    failures.reportStall(stuck, task, stall);
  }

  /** Returns the text of a task, or its class if its {@code toString} throws. */
  private static String text(Runnable task) {
    try {
      return String.valueOf(task);
    } catch (Throwable e) {
      return task.getClass().getName();
    }
  }
}
