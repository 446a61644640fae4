package io.punctual.lock.internal.hold;

import io.punctual.lock.internal.protocol.LockOptions;
import java.util.concurrent.TimeUnit;

/**
 * The end of the time in which a client may rely on a lease. Successive holders in one client that
 * pass a lock on without the server share the lease. Thread-safe.
 */
public final class LockLease {
  /**
   * A client relies on a lease for a thousandth less than its length. Time synchronization may make
   * this machine's clock 500 parts in a million too slow, and the server's clock 500 parts too
   * fast.
   */
  private static final long CLOCK_RATE_PARTS = 1_000;

  private long untilNanos;
  private long extendedMillis;

  /** Creates a lease that ends at this time. */
  public LockLease(long untilNanos) {
    this.untilNanos = untilNanos;
  }

  /**
   * Returns the time until which a client may rely on a lease that a server grants upon a request
   * sent at this time.
   */
  public static long until(long sentAt, long leaseMillis) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    return sentAt + nanos - nanos / CLOCK_RATE_PARTS;
  }

  /**
   * Returns the length of a lease, from now, after which a client can rely on it until this time,
   * in milliseconds, at least 1: the reverse of {@link #until}.
   */
  public static long millisUntil(long untilNanos, long now) {
    long nanos = Math.max(0, untilNanos - now);
    return TimeUnit.NANOSECONDS.toMillis(nanos + nanos / (CLOCK_RATE_PARTS - 1)) + 1;
  }

  /** Records that a holder requests a lease of this length. */
  public synchronized void extend(long millis) {
    extendedMillis = Math.max(extendedMillis, millis);
  }

  /** Returns whether a holder has asked to extend the lease. */
  synchronized boolean isExtended() {
    return extendedMillis > 0;
  }

  /** Returns the longest lease that the server may have granted. */
  public synchronized long longestMillis(LockOptions options) {
    return Math.max(extendedMillis, options.leaseMillis());
  }

  synchronized long remainingNanos(long now) {
    return untilNanos - now;
  }

  /** Records a renewal; a lease that has ended stays ended. */
  synchronized void renewed(long until, long now) {
    if (until - untilNanos > 0 && untilNanos - now > 0) {
      untilNanos = until;
    }
  }
}
