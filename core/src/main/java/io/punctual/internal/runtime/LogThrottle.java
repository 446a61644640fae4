package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.timer.DueTimer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Allows ten log lines a minute and counts the rest, so that a storm of failures does not fill a
 * disk. After the minute, the throttle reports the count. Thread-safe.
 */
final class LogThrottle {
  static final int LINES = 10;
  static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final DueTimer timer;
  private final IntConsumer summary;

  @GuardedBy("this") private boolean open;

  @GuardedBy("this") private long since;

  @GuardedBy("this") private int lines;

  @GuardedBy("this") private int skipped;

  /**
   * Creates a throttle; {@code summary} receives the number of lines that were skipped in a minute.
   */
  LogThrottle(DueTimer timer, IntConsumer summary) {
    this.timer = timer;
    this.summary = summary;
  }

  /** Returns whether the caller may write a line; counts the line otherwise. */
  boolean tryAcquire() {
    long wait;
    synchronized (this) {
      long now = timer.nanoTime();
      if (!open || (now - since >= WINDOW_NANOS && skipped == 0)) {
        open = true;
        since = now;
        lines = 0;
      }
      if (lines < LINES) {
        lines++;
        return true;
      }
      if (skipped++ > 0) {
        return false;
      }
      wait = Math.max(0, WINDOW_NANOS - (now - since));
    }
    summarizeAfter(wait);
    return false;
  }

  private void summarizeAfter(long nanos) {
    try {
      timer.schedule(nanos, this::summarize);
    } catch (RejectedExecutionException timerClosed) {
      summarize();
    }
  }

  private void summarize() {
    int count;
    synchronized (this) {
      count = skipped;
      skipped = 0;
      open = false;
    }
    summary.accept(count);
  }
}
