package io.punctual.embedded;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import java.util.Optional;

/**
 * The limits of a queue, a partition's share of them, and the partition's token bucket. A limit of
 * the concurrency is a number of places: a message occupies a place from its claim until its
 * settlement, and keeps it if the message is claimed again after its lease has expired.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 */
public final class ClaimLimits {
  private final int partitions;
  private QueueLimits limits = QueueLimits.none();
  private ShareLedger ledger;
  private LimitShare share;

  /** The time at which the bucket is full again, in microseconds from 1970. */
  private long fullMicros;

  /** The number of messages that claims have leased while the rate was limited. */
  private long delivered;

  /**
   * The time of the last claim that returned too few messages because of the share, in milliseconds
   * from 1970.
   */
  private long shortMillis = Long.MIN_VALUE;

  private boolean everSet;

  /** Creates limits that limit nothing, for the only partition of a queue. */
  public ClaimLimits() {
    this(1, 0);
  }

  /**
   * Creates limits that limit nothing.
   *
   * @param partitions the queue's number of partitions
   * @param born the {@link ShareLedger#born} of the partition
   */
  public ClaimLimits(int partitions, long born) {
    this.partitions = partitions;
    ledger = ShareLedger.empty(born);
    share = LimitShare.of(limits, partitions);
  }

  /** Returns the limits of the queue. */
  public QueueLimits limits() {
    return limits;
  }

  /**
   * Sets the limits of the queue. If the rate was not limited before, the bucket is full; otherwise
   * the time at which the bucket is full again stays. The transfers of shares do not change.
   */
  public void set(QueueLimits newLimits) {
    limits = newLimits;
    everSet |= !newLimits.equals(QueueLimits.none());
    share = LimitShare.of(newLimits, ledger, partitions);
    fullMicros = newLimits.hasRate() ? fullMicros : 0;
  }

  /**
   * Sets the limits after a restart. The bucket has a single token, because the tokens that the
   * previous process took are unknown.
   */
  public void restore(QueueLimits stored, EngineTime now) {
    set(stored);
    fullMicros =
        stored.hasRate() && stored.burst() > 1
            ? share.take(stored.burst() - 1, 0, now.micros())
            : 0;
  }

  /** Replaces the transfers of shares if they still equal {@code expected}. */
  public void move(ShareLedger expected, ShareLedger next, EngineTime now) {
    if (!ledger.equals(expected)) {
      return;
    }
    LimitShare before = share;
    ledger = next;
    share = LimitShare.of(limits, next, partitions);
    fullMicros = share.hasRate() ? share.settle(before, fullMicros, now.micros()) : 0;
  }

  /**
   * Returns the use of the limits, or empty if the partition never had limits or is the only
   * partition of its queue.
   *
   * @param leased the number of leased messages
   * @param hasDue whether a message is due
   * @param hasExpired whether a lease has expired
   */
  public Optional<LimitUse> use(int leased, boolean hasDue, boolean hasExpired, EngineTime now) {
    return everSet && partitions > 1
        ? Optional.of(
            new LimitUse(
                limits, ledger, now.micros(), fullMicros, delivered, leased, hasDue, hasExpired))
        : Optional.empty();
  }

  /** Returns the number of tokens, or {@link Integer#MAX_VALUE} if the rate is not limited. */
  public int tokens(EngineTime now) {
    // Corrects fullMicros, which is too late if the clock stepped back.
    delivered(0, now);
    return share.available(fullMicros, now.micros());
  }

  /**
   * Returns how many further messages claims can lease within the concurrency, 0 or more.
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
      delivered += messages;
    }
  }

  /**
   * Returns whether the share of this partition, one of several, prevents the claim of a message
   * now; shares of other partitions may then help. If so, also notes the time, so that {@link
   * #earliest(long, long, int, EngineTime)} lets clients wait for up to {@link
   * Partition#SHARES_MILLIS}; meanwhile they can move shares.
   *
   * @param leaseMillis the time at which the first lease ends, or {@link Long#MAX_VALUE}
   * @param dueMillis the earliest due time, or {@link Long#MAX_VALUE}
   * @param leased the number of leased messages
   */
  public boolean areShort(long leaseMillis, long dueMillis, int leased, EngineTime now) {
    boolean areShort =
        partitions > 1
            && ((dueMillis <= now.millis() && places(leased) == 0)
                || (Math.min(leaseMillis, dueMillis) <= now.millis() && tokens(now) == 0));
    if (areShort) {
      shortMillis = now.millis();
    }
    return areShort;
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
    if (!share.hasRate() || earliest == Long.MAX_VALUE) {
      return earliest;
    }
    long token = share.tokenMicros(fullMicros);
    return token == Reply.NONE ? Long.MAX_VALUE : Math.max(earliest, Math.floorDiv(token, 1_000));
  }

  /**
   * Returns the time at which a client should claim next, in milliseconds from 1970, or {@link
   * Long#MAX_VALUE}. In a queue of one partition, this is {@link #earliest(long, long, int)}. In a
   * queue of several partitions, it is the time at which a message is due or a lease ends, even
   * without a place or a token, because other partitions may give up shares. But after a claim that
   * the share cut short, clients wait for a place and a token, up to {@link
   * Partition#SHARES_MILLIS} from that claim.
   *
   * @param leaseMillis the time at which the first lease ends, or {@link Long#MAX_VALUE}
   * @param dueMillis the earliest due time, or {@link Long#MAX_VALUE}
   * @param leased the number of leased messages
   */
  public long earliest(long leaseMillis, long dueMillis, int leased, EngineTime now) {
    long earliest = earliest(leaseMillis, dueMillis, leased);
    if (partitions == 1) {
      return earliest;
    }
    long first = Math.min(leaseMillis, dueMillis);
    return Math.min(
        earliest, isRecent(now) ? Math.max(first, shortMillis + Partition.SHARES_MILLIS) : first);
  }

  /**
   * Returns whether the share has cut a claim short in the last {@link Partition#SHARES_MILLIS}.
   */
  private boolean isRecent(EngineTime now) {
    return shortMillis <= now.millis() && shortMillis > now.millis() - Partition.SHARES_MILLIS;
  }

  /**
   * Returns the microseconds until a client should claim next; {@link Reply#NONE} if it need not
   * claim before the next hint.
   *
   * @param earliestMillis the result of {@link #earliest(long, long, int, EngineTime)}
   */
  public long until(long earliestMillis, EngineTime now) {
    long token = share.untilToken(fullMicros, now.micros());
    if (partitions > 1) {
      long again = isRecent(now) ? shortMillis + Partition.SHARES_MILLIS : now.millis();
      token = Math.min(token, now.until(again));
    }
    return Math.max(now.until(earliestMillis), token);
  }
}
