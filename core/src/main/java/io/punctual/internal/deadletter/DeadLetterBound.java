package io.punctual.internal.deadletter;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * An upper bound of a queue's number of dead letters, from the last count and the dead letters that
 * have died since. While it is below the limit of a retention, the retention need not count again,
 * because some stores read all messages of the queue to count them. For one run at a time.
 */
final class DeadLetterBound {
  private long most = Long.MAX_VALUE;
  private long sinceMillis;

  /** Counts dead letters. */
  interface Counting {
    /** Returns the exact number of dead letters. */
    CompletionStage<Long> count();

    /**
     * Returns the number of dead letters that have died at this time or later, in milliseconds from
     * 1970; {@link Long#MAX_VALUE} if there are more than {@code limit}.
     */
    CompletionStage<Long> diedSince(long millis, long limit);
  }

  /**
   * Returns the exact number of dead letters, or a number that is at least as large and not above
   * the limit.
   *
   * @param limit the largest number that a retention keeps
   * @param clock returns the time of the store, in milliseconds from 1970
   */
  CompletionStage<Long> at(long limit, Supplier<CompletionStage<Long>> clock, Counting counting) {
    return clock.get().thenCompose(now -> at(limit, now, counting));
  }

  private CompletionStage<Long> at(long limit, long nowMillis, Counting counting) {
    if (most > limit) {
      return counted(nowMillis, counting);
    }
    long room = limit - most;
    return counting
        .diedSince(sinceMillis, room)
        .thenCompose(
            died -> {
              if (died > room) {
                return counted(nowMillis, counting);
              }
              set(most + died);
              sinceMillis = nowMillis;
              return CompletableFuture.completedStage(most);
            });
  }

  private CompletionStage<Long> counted(long nowMillis, Counting counting) {
    return counting
        .count()
        .thenApply(
            total -> {
              set(total);
              sinceMillis = nowMillis;
              return total;
            });
  }

  /** Sets the bound at the time of the last call of {@link #at}, or later. */
  void set(long atMost) {
    most = atMost;
  }
}
