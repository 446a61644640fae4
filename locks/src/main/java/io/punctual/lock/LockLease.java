package io.punctual.lock;

import java.util.concurrent.TimeUnit;

/**
 * The moment until which a client may rely on a lease. Holders of one client that pass a lock on
 * without the server share a lease. Thread-safe.
 */
final class LockLease {
  /**
   * A lease counts for a thousandth less than its length: time synchronization may slow this
   * machine's clock down by 500 parts in a million, and speed the server's clock up by as much.
   */
  private static final long CLOCK_RATE_PARTS = 1_000;

  private long untilNanos;
  private long extendedMillis;

  /** Creates a lease that ends at this moment. */
  LockLease(long untilNanos) {
    this.untilNanos = untilNanos;
  }

  /** Returns the end of a lease that a server grants upon a request sent at this time. */
  static long until(long sentAt, long leaseMillis) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    return sentAt + nanos - nanos / CLOCK_RATE_PARTS;
  }

  /** A holder asks the server for a lease of this length. */
  synchronized void extend(long millis) {
    extendedMillis = Math.max(extendedMillis, millis);
  }

  /** Whether a holder asked for a lease of its own length. */
  synchronized boolean isExtended() {
    return extendedMillis > 0;
  }

  /** Returns the longest lease that the server may have granted. */
  synchronized long longestMillis(LockOptions options) {
    return Math.max(extendedMillis, options.leaseMillis());
  }

  synchronized long remainingNanos(long now) {
    return untilNanos - now;
  }

  /** Takes a renewal; a lease that has ended stays ended. */
  synchronized void renewed(long until, long now) {
    if (until - untilNanos > 0 && untilNanos - now > 0) {
      untilNanos = until;
    }
  }
}
