package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Until when a waiter may rely on a lease that another script grants. The waiter does not see when
 * that script runs, so it counts from a moment before: the sending of its last request that the
 * server answered with "waiting". Pure arithmetic; the acquisition guards it.
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
   * Returns the end of a lease that a script granted for so long; now if the grant may be over.
   *
   * @param sentAt when this client sent that script; null if another client did
   */
  long until(long millis, @Nullable Long sentAt, long now) {
    if (sentAt != null) {
      return Lease.until(sentAt, millis);
    }
    return isDoubtful ? now : Lease.until(notBefore, millis);
  }
}
