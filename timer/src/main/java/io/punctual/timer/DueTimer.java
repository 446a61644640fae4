package io.punctual.timer;

import java.time.Duration;

/**
 * Runs tasks after a delay on a monotonic clock: never early, and as soon after the delay as the
 * implementation can.
 *
 * <p>Implementations are safe for use by many threads.
 */
public interface DueTimer {
  /**
   * Returns the reading of the monotonic clock that delays are measured on, in nanoseconds from an
   * arbitrary origin. Only differences are meaningful, as with {@link System#nanoTime()}.
   */
  long nanoTime();

  /**
   * Runs {@code task} once {@code delayNanos} have passed; zero or less means as soon as possible.
   * Where the task runs is up to the implementation; a task that runs on the timer's own thread
   * must not block.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the timer has been closed
   */
  Timeout schedule(long delayNanos, Runnable task);

  /**
   * Runs {@code task} after {@code delay}, like {@link #schedule(long, Runnable)}. A delay beyond
   * 292 years counts as 292 years.
   */
  default Timeout schedule(Duration delay, Runnable task) {
    return schedule(saturatedNanos(delay), task);
  }

  private static long saturatedNanos(Duration delay) {
    try {
      return delay.toNanos();
    } catch (ArithmeticException beyondLong) {
      return delay.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
