package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Allows some log lines in a window of time and counts the rest, so that a storm of failures does
 * not fill a disk. Thread-safe.
 */
public final class LogThrottle {
  private static final int LINES = 10;
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final int most;
  private final long windowNanos;
  private final LongSupplier nanoTime;
  private final @Nullable DueTimer timer;
  private final IntConsumer summary;

  @GuardedBy("this") private boolean open;

  @GuardedBy("this") private long since;

  @GuardedBy("this") private int lines;

  @GuardedBy("this") private int skipped;

  /** Creates a throttle whose caller reports the skipped lines itself; see {@link #takeSkipped}. */
  public LogThrottle(int lines, Duration window) {
    this(lines, window, System::nanoTime, null, skipped -> {});
  }

  /**
   * Creates a throttle of ten lines a minute; {@code summary} receives the number of lines that
   * were skipped in a minute, at its end.
   */
  LogThrottle(DueTimer timer, IntConsumer summary) {
    this(LINES, WINDOW, timer::nanoTime, timer, summary);
  }

  private LogThrottle(
      int lines,
      Duration window,
      LongSupplier nanoTime,
      @Nullable DueTimer timer,
      IntConsumer summary) {
    this.most = lines;
    this.windowNanos = window.toNanos();
    this.nanoTime = nanoTime;
    this.timer = timer;
    this.summary = summary;
  }

  /** Returns whether the caller may write a line; counts the line otherwise. */
  public boolean tryAcquire() {
    long wait;
    synchronized (this) {
      long now = nanoTime.getAsLong();
      // The window with a summary lasts until the summary is written.
      if (!open || (now - since >= windowNanos && (timer == null || skipped == 0))) {
        open = true;
        since = now;
        lines = 0;
      }
      if (lines < most) {
        lines++;
        return true;
      }
      if (skipped++ > 0 || timer == null) {
        return false;
      }
      wait = Math.max(0, windowNanos - (now - since));
    }
    summarizeAfter(wait, timer);
    return false;
  }

  private void summarizeAfter(long nanos, DueTimer timer) {
    try {
      timer.schedule(nanos, this::summarize);
    } catch (RejectedExecutionException timerClosed) {
      summarize();
    }
  }

  private void summarize() {
    int count;
    synchronized (this) {
      count = takeSkipped();
      open = false;
    }
    summary.accept(count);
  }

  /** Returns how many lines were skipped since the last call. */
  public synchronized int takeSkipped() {
    int count = skipped;
    skipped = 0;
    return count;
  }
}
