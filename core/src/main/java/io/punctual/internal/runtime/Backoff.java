package io.punctual.internal.runtime;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Computes the pauses between attempts: none after the first failure, then growing pauses of up to
 * a second, with jitter. Not thread-safe.
 */
public final class Backoff {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int DOUBLINGS = 20;

  private int failures;

  /** Counts a failure and returns the next pause in nanoseconds. */
  public long failed(RandomGenerator random) {
    int before = failures++;
    if (before == 0) {
      return 0;
    }
    long bound = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(before - 1, DOUBLINGS));
    return bound / 2 + random.nextLong(bound / 2 + 1);
  }

  /** Notes that an attempt succeeded. */
  public void reset() {
    failures = 0;
  }
}
