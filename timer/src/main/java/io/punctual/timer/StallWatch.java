package io.punctual.timer;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a timer's thread is stuck in a task, so that the tasks behind it are not held up in
 * silence. The thread itself cannot say so; whoever uses the timer meanwhile looks for it. Safe for
 * use by many threads.
 */
final class StallWatch {
  private static final long IDLE = Long.MAX_VALUE;

  private final long limitNanos;
  private final Failures failures;
  private final AtomicLong reported = new AtomicLong(IDLE);

  private volatile @Nullable Thread thread;
  private volatile @Nullable Runnable running;

  /** When the batch that is being run was begun, or {@link #IDLE}. */
  private volatile long busySince = IDLE;

  StallWatch(long limitNanos, Failures failures) {
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

  /** Reports a stall, once. */
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
            "timer thread "
                + stuck.getName()
                + " has been running tasks for "
                + nanos / 1_000_000
                + " ms, now "
                + task
                + "; other tasks wait meanwhile. Give the timer an executor for such tasks.");
    stall.setStackTrace(stuck.getStackTrace());
    failures.reportStall(stuck, task, stall);
  }
}
