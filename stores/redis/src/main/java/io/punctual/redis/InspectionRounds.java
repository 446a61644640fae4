package io.punctual.redis;

import io.punctual.spi.Partition;
import java.util.List;

/**
 * Inspects the partitions on which this client waits, in turns: with each safety check at most a
 * few of them. Each of up to 50 partitions has a turn in {@link #CHECKS} safety checks; a turn
 * among more partitions comes later, and also in a crowd of clients. Thread-safe.
 */
final class InspectionRounds {
  private static final int CHECKS = 5;
  private static final int MOST_PARTITIONS = 10;

  private int next;

  /** Begins to inspect the partitions whose turn it is, or one of them in a crowd of clients. */
  void begin(List<Partition> partitions, boolean isCrowded) {
    int length = Math.max(partitions.size(), CHECKS);
    int most = isCrowded ? 1 : MOST_PARTITIONS;
    int count = Math.min(most, (partitions.size() + CHECKS - 1) / CHECKS);
    int from = turn(length, count);
    for (Partition partition :
        partitions.subList(
            Math.min(from, partitions.size()), Math.min(from + count, partitions.size()))) {
      ((RedisPartition) partition).inspection().regular();
    }
  }

  private synchronized int turn(int length, int count) {
    int from = next >= length ? 0 : next;
    next = from + count;
    return from;
  }
}
