package io.punctual.embedded;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Reply;

/**
 * The limits of a partition, and its token bucket. A message has a place from its claim until it is
 * settled; a claim of a message with an expired lease needs no further place.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 */
public final class ClaimLimits {
  private final int index;
  private final int partitions;
  private QueueLimits limits = QueueLimits.none();
  private LimitShare share;

  /** The time at which the bucket is full again, in microseconds from 1970. */
  private long fullMicros;

  /** Creates limits that limit nothing. */
  public ClaimLimits(int index, int partitions) {
    this.index = index;
    this.partitions = partitions;
    share = LimitShare.of(limits, index, partitions);
  }

  /** Returns the limits of the queue. */
  public QueueLimits limits() {
    return limits;
  }

  /**
   * Sets the limits of the queue. A bucket that had no limits before is full; otherwise missing
   * tokens stay missing.
   */
  public void set(QueueLimits newLimits) {
    limits = newLimits;
    share = LimitShare.of(newLimits, index, partitions);
    fullMicros = newLimits.hasRate() ? fullMicros : 0;
  }

  /**
   * Sets the limits after a restart. The bucket has a single token, because the tokens that the
   * previous process took are unknown.
   */
  public void restore(QueueLimits stored, EngineTime now) {
    set(stored);
    fullMicros =
        stored.hasRate() && share.burst() > 1 ? share.take(share.burst() - 1, 0, now.micros()) : 0;
  }

  /** Returns the number of tokens, or {@link Integer#MAX_VALUE} if the rate is not limited. */
  public int tokens(EngineTime now) {
    // Stores a full time that is not too late after the clock stepped back.
    delivered(0, now);
    return share.available(fullMicros, now.micros());
  }

  /**
   * Returns the number of due messages that claims can lease, 0 or more.
   *
   * @param leased the number of leased messages, including messages with expired leases
   */
  public int places(int leased) {
    return Math.max(0, share.concurrency() - leased);
  }

  /** Takes the tokens of delivered messages. */
  public void delivered(int messages, EngineTime now) {
    if (share.hasRate()) {
      fullMicros = share.take(messages, fullMicros, now.micros());
    }
  }

  /**
   * Returns the time at which the next message can be claimed, in milliseconds from 1970, or {@link
   * Long#MAX_VALUE}. The result may be up to a millisecond too early.
   *
   * @param leaseMillis the time at which the first lease ends, or {@link Long#MAX_VALUE}
   * @param dueMillis the earliest due time, or {@link Long#MAX_VALUE}
   * @param leased the number of leased messages
   */
  public long earliest(long leaseMillis, long dueMillis, int leased) {
    long earliest = places(leased) == 0 ? leaseMillis : Math.min(leaseMillis, dueMillis);
    return share.hasRate() && earliest != Long.MAX_VALUE
        ? Math.max(earliest, tokenMillis())
        : earliest;
  }

  private long tokenMillis() {
    return Math.floorDiv(share.tokenMicros(fullMicros), 1_000);
  }

  /**
   * Returns the microseconds until the next message can be claimed, or {@link Reply#NONE}.
   *
   * @param earliestMillis the result of {@link #earliest}
   */
  public long until(long earliestMillis, EngineTime now) {
    return Math.max(now.until(earliestMillis), share.untilToken(fullMicros, now.micros()));
  }
}
