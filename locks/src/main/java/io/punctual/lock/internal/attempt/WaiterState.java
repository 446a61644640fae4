package io.punctual.lock.internal.attempt;

import io.punctual.lock.internal.hold.LockLease;
import io.punctual.lock.internal.protocol.HandOver;
import io.punctual.lock.internal.protocol.LockReply;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state of a handle on the server, as far as its client knows it, while the handle waits for
 * the lock. Thread-safe.
 */
final class WaiterState {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);
  private static final long GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final long leaseMillis;
  private long arrival;

  /**
   * If the server has granted the lock and the notice is still on its way, the grant is later than
   * this time.
   */
  private long notBefore;

  /** Whether a granted lease may have expired before the notice of the grant arrives. */
  private boolean isDoubtful;

  /** The number of requests that the server may still run. */
  private int openRequests;

  /** The number of requests that the server may have run. */
  private int sentRequests;

  /** Whether the server may know the handle, in its line of waiters or as the holder. */
  private boolean isOnServer;

  private Optional<EarlyGrant> early = Optional.empty();

  /**
   * A grant by the script of a different request, which arrived before the first reply.
   *
   * @param sentAt see {@link #leaseEnd}
   */
  record EarlyGrant(long token, long millis, @Nullable Long sentAt) {}

  /**
   * Creates the state of a handle that the server does not know.
   *
   * @param arrived the place in the server's line of waiters that the first request asks for
   */
  WaiterState(Attempt attempt, long arrived) {
    this.leaseMillis = attempt.handle().options().leaseMillis();
    this.notBefore = attempt.startNanos();
    this.arrival = arrived;
  }

  /** Counts a request that the client sends. */
  synchronized void requested() {
    openRequests++;
    sentRequests++;
  }

  /** Counts the end of a request that the server has run. */
  synchronized void requestEnded() {
    openRequests--;
  }

  /** Counts the end of a request that the server has not run, and will never run. */
  synchronized void requestNotRun() {
    openRequests--;
    sentRequests--;
  }

  /** Returns whether the server may have run an earlier request for this handle. */
  synchronized boolean isRepeated() {
    return sentRequests > 0;
  }

  /**
   * Keeps a grant for {@link #takeEarly} if the server has not replied yet; returns false if it has
   * replied.
   */
  synchronized boolean keepEarly(EarlyGrant grant) {
    if (!isOnServer) {
      early = Optional.of(grant);
    }
    return !isOnServer;
  }

  /** Returns and forgets the grant that arrived before the first reply. */
  synchronized Optional<EarlyGrant> takeEarly() {
    Optional<EarlyGrant> kept = early;
    early = Optional.empty();
    return kept;
  }

  /** Returns whether a request may still arrive at the server. */
  synchronized boolean hasOpenRequests() {
    return openRequests > 0;
  }

  /** Returns whether the server may know the handle, now or later. */
  synchronized boolean mayBeOnServer() {
    return isOnServer || hasOpenRequests();
  }

  /** Returns the handle's place in the server's line of waiters, or {@link Cohort#END_OF_LINE}. */
  synchronized long arrival() {
    return arrival;
  }

  /** Sets the place in the server's line of waiters that the next request asks for. */
  synchronized void claimArrival(long arrived) {
    arrival = arrived;
  }

  /**
   * Processes the reply "waiting" to a request.
   *
   * @param sentAt when the request was sent
   * @return the time from now until the next request, in nanoseconds
   */
  synchronized long waiting(LockReply.Waiting reply, long sentAt, long now) {
    long grantMillis = Math.min(HandOver.LEASE_MILLIS, leaseMillis);
    isDoubtful |= now - notBefore > TimeUnit.MILLISECONDS.toNanos(grantMillis);
    notBefore = Math.max(notBefore, sentAt);
    isOnServer = true;
    arrival = reply.arrival();
    return nextRequestNanos(reply.untilFreeMillis(), now);
  }

  /**
   * Returns the time until the next request. The time is chosen so that several attempts send their
   * requests at the same moment, and a single script carries them.
   */
  private static long nextRequestNanos(long untilFreeMillis, long now) {
    long wait =
        untilFreeMillis < 0
            ? CHECK_NANOS
            : Math.min(CHECK_NANOS, TimeUnit.MILLISECONDS.toNanos(untilFreeMillis + 1));
    return wait + GRID_NANOS - Math.floorMod(now + wait, GRID_NANOS);
  }

  /** Records that the server has granted the lock. */
  synchronized void granted() {
    isOnServer = true;
  }

  /**
   * Returns the time until which the client may rely on a lease that the script of a different
   * request granted; the current time if the lease may have ended. For example, the script of a
   * release grants the lock to the next waiting client. The waiter does not know when that script
   * ran. So it counts the lease from an earlier time that it knows: when it sent the last request
   * to which the server replied "waiting".
   *
   * @param millis the length of the lease
   * @param sentAt when this client sent the script that granted the lease; null if the grant
   *     arrived on the client's channel
   */
  synchronized long leaseEnd(long millis, @Nullable Long sentAt, long now) {
    if (sentAt != null) {
      return LockLease.until(sentAt, millis);
    }
    return isDoubtful ? now : LockLease.until(notBefore, millis);
  }
}
