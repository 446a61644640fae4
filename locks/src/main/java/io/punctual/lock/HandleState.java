package io.punctual.lock;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The state of a waiting handle on the server, as far as its client knows it. Thread-safe. */
final class HandleState {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);
  private static final long GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final LeaseBound bound;
  private long arrival;

  /** How many requests the server may still carry out. */
  private int openRequests;

  /** Whether the server may know the handle, in the line or as the holder. */
  private boolean isOnServer;

  HandleState(Attempt attempt) {
    this.bound = new LeaseBound(attempt.options().leaseMillis(), attempt.startNanos());
  }

  /** The client sends a request. */
  synchronized void requested() {
    openRequests++;
  }

  /** The server has carried out a request, or never will. */
  synchronized void requestEnded() {
    openRequests--;
  }

  /** Returns whether a request may still arrive at the server. */
  synchronized boolean hasOpenRequests() {
    return openRequests > 0;
  }

  /** Returns whether the server may know the handle, now or later. */
  synchronized boolean mayBeOnServer() {
    return isOnServer || hasOpenRequests();
  }

  /** Returns the handle's place in the server's line, or {@link Cohort#END_OF_LINE}. */
  synchronized long arrival() {
    return arrival;
  }

  /** The next request asks for this place in the server's line. */
  synchronized void claimArrival(long arrived) {
    arrival = arrived;
  }

  /** Takes a reply to a request that was sent at this time; returns when to ask again, from now. */
  synchronized long waiting(LockReply.Waiting reply, long sentAt, long now) {
    bound.waiting(sentAt, now);
    isOnServer = true;
    arrival = reply.arrival();
    return nextRequestNanos(reply.untilFreeMillis(), now);
  }

  /** Attempts ask again at common moments, so that a single script carries their requests. */
  private static long nextRequestNanos(long untilFreeMillis, long now) {
    long wait =
        untilFreeMillis < 0
            ? CHECK_NANOS
            : Math.min(CHECK_NANOS, TimeUnit.MILLISECONDS.toNanos(untilFreeMillis + 1));
    return wait + GRID_NANOS - Math.floorMod(now + wait, GRID_NANOS);
  }

  /** The server has granted the lock. */
  synchronized void granted() {
    isOnServer = true;
  }

  /**
   * Returns the end of a lease that the script of a different request granted; see {@link
   * LeaseBound#until}.
   */
  synchronized long leaseEnd(long millis, @Nullable Long sentAt, long now) {
    return bound.until(millis, sentAt, now);
  }
}
