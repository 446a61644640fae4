package io.punctual.internal.runtime;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Computes the pauses between attempts. Each failure doubles the pause, from the first pause to the
 * longest. Up to half of each pause is random, so that clients which failed together do not try
 * again together. Not thread-safe.
 */
public final class Backoff {
  private static final int DOUBLINGS = 20;

  private final long firstNanos;
  private final long longestNanos;
  private final int free;
  private int failures;

  /** Creates a back-off from the {@code first} pause to the {@code longest}, both positive. */
  public Backoff(Duration first, Duration longest) {
    this(first, longest, 0);
  }

  private Backoff(Duration first, Duration longest, int free) {
    this.firstNanos = first.toNanos();
    this.longestNanos = longest.toNanos();
    this.free = free;
  }

  /** Returns a back-off for a store's calls: no pause at first, then 10 ms to a second. */
  public static Backoff ofCalls() {
    return new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1), 1);
  }

  /** Counts a failure and returns the pause before the next attempt, in nanoseconds. */
  public long failed(RandomGenerator random) {
    int before = failures++ - free;
    if (before < 0) {
      return 0;
    }
    long bound = Math.min(longestNanos, firstNanos << Math.min(before, DOUBLINGS));
    return bound / 2 + random.nextLong(bound / 2 + 1);
  }

  /** Returns the number of failures since the last {@link #reset}. */
  public int failures() {
    return failures;
  }

  /** Notes that an attempt succeeded. */
  public void reset() {
    failures = 0;
  }
}
