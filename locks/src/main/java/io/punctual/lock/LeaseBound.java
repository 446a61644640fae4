package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Computes the time until which a waiter may rely on a lease that the script of a different request
 * granted. The waiter does not know when that script ran. So it counts the lease from an earlier
 * time that it knows: when it sent the last request to which the server replied "waiting". Not
 * thread-safe; {@link HandleState} guards it.
 */
final class LeaseBound {
  private final long leaseMillis;

  /**
   * If the server has granted the lock and the notice is still on its way, the grant is later than
   * this time.
   */
  private long notBefore;

  /** Whether a granted lease may have expired before the notice of the grant arrives. */
  private boolean isDoubtful;

  LeaseBound(long leaseMillis, long startNanos) {
    this.leaseMillis = leaseMillis;
    this.notBefore = startNanos;
  }

  /** Processes a reply "waiting" to a request that was sent at this time. */
  void waiting(long sentAt, long now) {
    long grantMillis = Math.min(HandOver.LEASE_MILLIS, leaseMillis);
    isDoubtful |= now - notBefore > TimeUnit.MILLISECONDS.toNanos(grantMillis);
    notBefore = Math.max(notBefore, sentAt);
  }

  /**
   * Returns the time until which the waiter may rely on a granted lease; the current time if the
   * lease may have ended.
   *
   * @param millis the length of the lease
   * @param sentAt when this client sent the script that granted the lease; null if a different
   *     client sent it
   */
  long until(long millis, @Nullable Long sentAt, long now) {
    if (sentAt != null) {
      return LockLease.until(sentAt, millis);
    }
    return isDoubtful ? now : LockLease.until(notBefore, millis);
  }
}
