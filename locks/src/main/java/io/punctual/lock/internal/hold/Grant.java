package io.punctual.lock.internal.hold;

import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.protocol.HandOver;
import io.punctual.lock.internal.protocol.ServerHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A grant of a lock by the server to a handle, on behalf of a single holder in this client, or of
 * several successive holders. Each of several holders has its own fencing token, because the server
 * reserves {@value HandOver#MOST_HOLDERS} tokens for such a grant. Immutable.
 *
 * @param handle the handle on the server
 * @param token the first holder's token; 0 for locks without tokens
 * @param beganNanos when the first holder got the lock
 * @param waiters the waiters of this client, which the release may grant locks to
 * @param successors the attempts to which the lock may pass; null if it may not pass on
 * @param refuse returns whether a request of the handle may still arrive after the release, so that
 *     the server must refuse it
 */
public record Grant(
    ServerHandle handle,
    long token,
    long beganNanos,
    LockRequests.Waiters waiters,
    @Nullable Successors successors,
    BooleanSupplier refuse) {

  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(HandOver.LONGEST_MILLIS);

  /** The attempts of this client that may take over the lock from its holder. */
  public interface Successors {
    /** Passes the lock of a holder to the next attempt; returns whether an attempt took it over. */
    boolean passOn(ServerHold from);

    /** Ends the grant: its last holder releases the lock on the server. */
    void released();
  }

  /** Returns whether the lock may pass from its holder to the next holder in this client. */
  boolean mayPassOn(int heldBefore, long remainingNanos, long now) {
    return successors != null
        && heldBefore + 1 < HandOver.MOST_HOLDERS
        && now - beganNanos < LONGEST_NANOS
        && remainingNanos >= leastNanos();
  }

  private long leastNanos() {
    long millis = Math.min(handle.options().leaseMillis(), HandOver.LEASE_MILLIS);
    return TimeUnit.MILLISECONDS.toNanos(millis) / 3;
  }
}
