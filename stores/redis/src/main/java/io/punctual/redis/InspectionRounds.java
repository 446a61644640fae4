package io.punctual.redis;

import java.util.List;

/**
 * The turns in which the partitions on which this client waits are inspected: with each safety
 * check at most a few of them. Each of up to 50 partitions has a turn in {@link #CHECKS} safety
 * checks; a turn among more partitions comes later, and also in a crowd of clients. Thread-safe.
 */
final class InspectionRounds {
  private static final int CHECKS = 5;
  private static final int MOST_PARTITIONS = 10;

  private int next;

  /** Returns the partitions whose turn it is, or one of them in a crowd of clients. */
  <T> List<T> turn(List<T> partitions, boolean isCrowded) {
    int length = Math.max(partitions.size(), CHECKS);
    int most = isCrowded ? 1 : MOST_PARTITIONS;
    int count = Math.min(most, (partitions.size() + CHECKS - 1) / CHECKS);
    int from = turn(length, count);
    return partitions.subList(
        Math.min(from, partitions.size()), Math.min(from + count, partitions.size()));
  }

  private synchronized int turn(int length, int count) {
    int from = next >= length ? 0 : next;
    next = from + count;
    return from;
  }
}
