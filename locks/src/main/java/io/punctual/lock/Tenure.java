package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time in which a handle holds a lock on the server, on behalf of a single holder in this
 * client, or of several successive holders of a cohort. Each holder has its own fencing token,
 * because the server reserves {@value HandOver#MOST_HOLDERS} tokens for a tenure. Immutable.
 *
 * @param handle the handle on the server
 * @param token the first holder's token; 0 for locks without tokens
 * @param beganNanos when the server's reply arrived
 * @param cohort the cohort in which the lock may pass from holder to holder; null if it may not
 * @param refuse returns whether a request of the handle may still arrive after the release, so that
 *     the server must refuse it
 */
record Tenure(
    LockKeys keys,
    LockOptions options,
    String handle,
    long token,
    long beganNanos,
    @Nullable Cohort cohort,
    BooleanSupplier refuse) {

  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(HandOver.LONGEST_MILLIS);

  /** Returns whether the lock may pass from its holder to the next holder in this client. */
  boolean mayPassOn(int heldBefore, long remainingNanos, long now) {
    return cohort != null
        && heldBefore + 1 < HandOver.MOST_HOLDERS
        && now - beganNanos < LONGEST_NANOS
        && remainingNanos >= leastNanos();
  }

  private long leastNanos() {
    long millis = Math.min(options.leaseMillis(), HandOver.LEASE_MILLIS);
    return TimeUnit.MILLISECONDS.toNanos(millis) / 3;
  }
}
