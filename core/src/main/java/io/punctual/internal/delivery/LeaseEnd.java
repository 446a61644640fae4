package io.punctual.internal.delivery;

import io.punctual.internal.runtime.Environment;
import java.util.concurrent.TimeUnit;

/**
 * The end of a lease, as this process knows it. Immutable.
 *
 * @param nanos the time until which the lease certainly lasts, on the timer's clock, unless the
 *     machine is suspended
 * @param wallAheadNanos how far the wall clock was ahead of the timer's clock when the lease was
 *     requested
 */
public record LeaseEnd(long nanos, long wallAheadNanos) {
  /** A smaller difference is a rounding, or a correction of the wall clock. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * Returns how much of the lease certainly remains now; zero or less at its end. After a
   * suspension of the machine, or a forward step of the wall clock, this is less than on the
   * timer's clock.
   */
  public long remainingNanos(Environment env) {
    long ahead = env.wallAheadNanos() - wallAheadNanos;
    return nanos - env.nanoTime() - (ahead > TOLERANCE_NANOS ? ahead : 0);
  }
}
