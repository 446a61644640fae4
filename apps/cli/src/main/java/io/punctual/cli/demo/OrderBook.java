package io.punctual.cli.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import org.HdrHistogram.Histogram;

/**
 * Records the fate of each order and judges the demo, by the answers of the store and the
 * deliveries:
 *
 * <ul>
 *   <li>an order is <i>lost</i> if its time-out was confirmed, its cancellation was neither
 *       confirmed nor left without an answer, and it was never delivered;
 *   <li>an order is <i>early</i> if the message of its first delivery was claimed before the
 *       confirmed due time, by the store's clock;
 *   <li>a delivery is a <i>duplicate</i> if the order was delivered before, or its cancellation was
 *       confirmed.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class OrderBook {
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final long[] dueMillis;
  private final long[] claimedMicros;
  private final BitSet scheduled;
  private final BitSet cancelled;
  private final BitSet maybeCancelled;
  private final BitSet delivered;
  private final Histogram latenessMicros = new Histogram(3);
  private int deliveries;
  private long leftBehind;
  private long lastChangeNanos = System.nanoTime();

  OrderBook(int orders) {
    dueMillis = new long[orders];
    claimedMicros = new long[orders];
    Arrays.fill(claimedMicros, UNKNOWN);
    scheduled = new BitSet(orders);
    cancelled = new BitSet(orders);
    maybeCancelled = new BitSet(orders);
    delivered = new BitSet(orders);
  }

  /** The totals of all orders. */
  record Tally(
      int scheduled,
      int cancelled,
      int delivered,
      int lost,
      int duplicates,
      int early,
      int unknown,
      long leftBehind) {
    boolean isFaultless() {
      return lost == 0 && duplicates == 0 && early == 0 && leftBehind == 0;
    }
  }

  /** Records a confirmed time-out. */
  synchronized void scheduled(int order, Instant dueAt) {
    scheduled.set(order);
    dueMillis[order] = dueAt.toEpochMilli();
    changed();
  }

  /** Records a confirmed cancellation. */
  synchronized void cancelled(int order) {
    cancelled.set(order);
    changed();
  }

  /** Records a cancellation without an answer: the order may still be delivered. */
  synchronized void maybeCancelled(int order) {
    maybeCancelled.set(order);
    changed();
  }

  /** Records the number of orders that were still in the queue at the end. */
  synchronized void leftBehind(long orders) {
    leftBehind = orders;
  }

  /** Records that an order was handed to the worker. */
  synchronized void delivered(int order, Instant claimedAt, Duration lateness) {
    if (!delivered.get(order)) {
      claimedMicros[order] =
          Math.addExact(
              Math.multiplyExact(claimedAt.getEpochSecond(), 1_000_000),
              claimedAt.getNano() / 1000);
    }
    delivered.set(order);
    deliveries++;
    latenessMicros.recordValue(lateness.toNanos() / 1000);
    changed();
  }

  private void changed() {
    lastChangeNanos = System.nanoTime();
  }

  /** Returns the time since the last recorded change of an order. */
  synchronized Duration silence() {
    return Duration.ofNanos(System.nanoTime() - lastChangeNanos);
  }

  /**
   * Returns how many orders were delivered or cancelled, including cancellations without an answer.
   */
  synchronized int ended() {
    BitSet ended = (BitSet) cancelled.clone();
    ended.or(maybeCancelled);
    ended.or(delivered);
    return ended.cardinality();
  }

  synchronized Tally tally() {
    BitSet lost = (BitSet) scheduled.clone();
    lost.andNot(cancelled);
    lost.andNot(delivered);
    BitSet unknown = (BitSet) lost.clone();
    unknown.and(maybeCancelled);
    lost.andNot(unknown);
    BitSet endedTwice = (BitSet) cancelled.clone();
    endedTwice.and(delivered);
    return new Tally(
        scheduled.cardinality(),
        cancelled.cardinality(),
        delivered.cardinality(),
        lost.cardinality(),
        deliveries - delivered.cardinality() + endedTwice.cardinality(),
        (int) delivered.stream().filter(this::isEarly).count(),
        unknown.cardinality(),
        leftBehind);
  }

  private boolean isEarly(int order) {
    return scheduled.get(order) && claimedMicros[order] < dueMillis[order] * 1000;
  }

  synchronized Histogram latenessMicros() {
    return latenessMicros.copy();
  }
}
