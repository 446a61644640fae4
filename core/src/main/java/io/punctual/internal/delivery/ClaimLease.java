package io.punctual.internal.delivery;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Reply;
import java.util.concurrent.TimeUnit;

/**
 * The lease of the messages of one claim. Immutable.
 *
 * @param session the session through which the messages are settled
 * @param token the fencing token of the messages
 * @param engineMicros the store's clock at the claim, in microseconds from 1970
 * @param receivedNanos the time at which the reply arrived, on the timer's clock
 * @param end the end of the leases
 */
public record ClaimLease(
    PartitionSession session, long token, long engineMicros, long receivedNanos, LeaseEnd end) {
  public static ClaimLease of(
      Reply.Claimed claimed, PartitionSession session, LeaseEnd end, long nowNanos) {
    return new ClaimLease(session, claimed.token(), claimed.engineMicros(), nowNanos, end);
  }

  /** Returns the renewed lease of a message, with this end. */
  public ClaimLease until(LeaseEnd newEnd) {
    return new ClaimLease(session, token, engineMicros, receivedNanos, newEnd);
  }

  /** Returns the time until which the leases certainly last, on the timer's clock. */
  public long deadlineNanos() {
    return end.nanos();
  }

  public boolean isOver(long nowNanos) {
    return deadlineNanos() - nowNanos <= 0;
  }

  /** Returns whether the leases may be over, because the machine may have been suspended. */
  public boolean mayBeOver(Environment env) {
    return end.remainingNanos(env) <= 0;
  }

  /** Returns an estimate of the store's clock from local time, in milliseconds from 1970. */
  public long engineMillis(long nowNanos) {
    return Math.floorDiv(
        engineMicros + TimeUnit.NANOSECONDS.toMicros(nowNanos - receivedNanos), 1000);
  }

  /**
   * Returns the lateness in microseconds of a message that is handed over now; never negative, and
   * at most 292 years, so that it fits into a {@code long} of nanoseconds.
   */
  public long latenessMicros(long dueMillis, long nowNanos) {
    long atClaim = Math.max(0, engineMicros - dueMillis * 1000);
    long micros = atClaim + TimeUnit.NANOSECONDS.toMicros(nowNanos - receivedNanos);
    return Math.min(micros, TimeUnit.NANOSECONDS.toMicros(Long.MAX_VALUE));
  }
}
