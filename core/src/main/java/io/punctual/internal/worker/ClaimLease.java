package io.punctual.internal.worker;

import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Reply;
import java.util.concurrent.TimeUnit;

/**
 * What the messages of one claim have in common. Immutable.
 *
 * @param session where to settle them
 * @param token their fencing token
 * @param engineMicros the store's clock at the claim
 * @param receivedNanos when the answer came, on the timer's clock
 * @param deadlineNanos until when the leases are certain to last: a lease after the claim was first
 *     sent
 */
record ClaimLease(
    PartitionSession session,
    long token,
    long engineMicros,
    long receivedNanos,
    long deadlineNanos) {
  static ClaimLease of(
      Reply.Claimed claimed,
      PartitionSession session,
      long firstSentNanos,
      long leaseMillis,
      long nowNanos) {
    return new ClaimLease(
        session,
        claimed.token(),
        claimed.engineMicros(),
        nowNanos,
        firstSentNanos + TimeUnit.MILLISECONDS.toNanos(leaseMillis));
  }

  boolean isOver(long nowNanos) {
    return deadlineNanos - nowNanos <= 0;
  }

  /** Returns the store's clock now, as far as local time tells, in milliseconds. */
  long engineMillis(long nowNanos) {
    return Math.floorDiv(
        engineMicros + TimeUnit.NANOSECONDS.toMicros(nowNanos - receivedNanos), 1000);
  }

  /** Returns how late a message is that is handed over now: never negative. */
  long latenessMicros(long dueMillis, long nowNanos) {
    long atClaim = Math.max(0, engineMicros - dueMillis * 1000);
    return atClaim + TimeUnit.NANOSECONDS.toMicros(nowNanos - receivedNanos);
  }
}
