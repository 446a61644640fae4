package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A handle that holds a lock on the server, for one holder of this client or, one after the other,
 * several of a cohort. Each of those has a fencing token of its own: the server has set {@value
 * #MOST_HOLDERS} of them aside. Immutable.
 *
 * @param handle what the server knows
 * @param token the first holder's token, or 0
 * @param beganNanos when the server's word came
 * @param cohort whose it is, if it may pass on
 * @param refuse whether a question about it may still be under way
 */
record Tenure(
    LockKeys place,
    LockOptions terms,
    String handle,
    long token,
    long beganNanos,
    @Nullable Cohort cohort,
    BooleanSupplier refuse) {

  /** As exclusive.lua says. */
  static final int MOST_HOLDERS = 16;

  /** Beyond this, others have waited for long enough, and the server for a word. */
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** As line.lua says; a third of it is the least that anybody gets. */
  private static final long LEASE_WHEN_GRANTED_MILLIS = 1_500;

  /** Returns whether a holder of it may be followed by another one. */
  boolean mayPassOn(int heldBefore, long remainingNanos, long now) {
    return cohort != null
        && heldBefore + 1 < MOST_HOLDERS
        && now - beganNanos < LONGEST_NANOS
        && remainingNanos >= leastNanos();
  }

  private long leastNanos() {
    long millis = Math.min(terms.leaseMillis(), LEASE_WHEN_GRANTED_MILLIS);
    return TimeUnit.MILLISECONDS.toNanos(millis) / 3;
  }
}
