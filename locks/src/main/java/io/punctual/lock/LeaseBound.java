package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time until which a waiter may rely on a lease that the script of a different request grants.
 * The waiter does not know when that script ran. So it counts from a moment that is certainly
 * earlier: when it sent the last request to which the server answered "waiting". Pure arithmetic;
 * {@link HandleState} guards it.
 */
final class LeaseBound {
  private final long leaseMillis;

  /** No grant that this waiter has not heard of is older than this. */
  private long notBefore;

  /** Whether a grant may have expired unheard, so that its notice may still arrive. */
  private boolean isDoubtful;

  LeaseBound(long leaseMillis, long startNanos) {
    this.leaseMillis = leaseMillis;
    this.notBefore = startNanos;
  }

  /** Takes a reply "waiting" to a request that was sent at this time. */
  void waiting(long sentAt, long now) {
    long grantMillis = Math.min(HandOver.LEASE_MILLIS, leaseMillis);
    isDoubtful |= now - notBefore > TimeUnit.MILLISECONDS.toNanos(grantMillis);
    notBefore = Math.max(notBefore, sentAt);
  }

  /**
   * Returns the end of a lease of this length that a script granted; now if the lease may be over.
   *
   * @param sentAt when this client sent that script; null if a different client sent it
   */
  long until(long millis, @Nullable Long sentAt, long now) {
    if (sentAt != null) {
      return LockLease.until(sentAt, millis);
    }
    return isDoubtful ? now : LockLease.until(notBefore, millis);
  }
}
