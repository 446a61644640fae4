package io.punctual.redis;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Says when a partition is inspected: with each safety check at most a few partitions are. Each of
 * up to 50 partitions has a turn in {@link #CHECKS} safety checks; a turn among more partitions
 * comes later, and also in a crowd of clients. Each partition counts its own checks, because a
 * store can have several callers, each with other partitions. Thread-safe.
 */
final class InspectionTurn {
  private static final int CHECKS = 5;
  private static final int MOST_PARTITIONS = 10;

  /** The safety checks since the last turn; a new partition has its first turn at once. */
  private final AtomicInteger checks = new AtomicInteger(CHECKS - 1);

  private record Due<T>(T partition, InspectionTurn turn, int checks) {}

  /**
   * Counts a safety check of partitions, and returns those whose turn it is: the ones that have
   * waited longest, or one of them in a crowd of clients.
   */
  static <T> List<T> next(
      List<T> partitions, Function<? super T, InspectionTurn> turnOf, boolean isCrowded) {
    int most = isCrowded ? 1 : MOST_PARTITIONS;
    return partitions.stream()
        .map(partition -> counted(partition, turnOf.apply(partition)))
        .filter(due -> due.checks >= CHECKS)
        .sorted(Comparator.<Due<T>>comparingInt(Due::checks).reversed())
        .limit(Math.min(most, (partitions.size() + CHECKS - 1) / CHECKS))
        .map(InspectionTurn::begun)
        .toList();
  }

  private static <T> Due<T> counted(T partition, InspectionTurn turn) {
    return new Due<>(partition, turn, turn.checks.incrementAndGet());
  }

  private static <T> T begun(Due<T> due) {
    due.turn.checks.set(0);
    return due.partition;
  }
}
