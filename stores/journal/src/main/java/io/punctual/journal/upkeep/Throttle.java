package io.punctual.journal.upkeep;

import java.util.concurrent.TimeUnit;

/**
 * Limits the speed of a thread's writes: after each write it sleeps for the time that the write
 * takes at the given pace. Stateless.
 */
public final class Throttle implements Compaction.Pace {
  private final long bytesPerSecond;
  private final Rest rest;

  /** A way to sleep. */
  @FunctionalInterface
  public interface Rest {
    /**
     * Sleeps for this many nanoseconds.
     *
     * @throws InterruptedException to end the work
     */
    void nanos(long nanos) throws InterruptedException;
  }

  public Throttle(long bytesPerSecond, Rest rest) {
    this.bytesPerSecond = bytesPerSecond;
    this.rest = rest;
  }

  @Override
  public void written(int bytes) throws InterruptedException {
    rest.nanos(bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
  }
}
