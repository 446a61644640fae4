package io.punctual.http.own;

import io.punctual.Delivery;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.view.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes why a task failed into its record. Thread-safe. */
final class TaskFailures {
  /** A store that starts or fails over refuses too, but not for so long. */
  private static final Duration REFUSED = Duration.ofHours(1);

  /** A process may not know the partitions of a queue yet, or the server behind a store is old. */
  private static final Duration INVALID = Duration.ofMinutes(1);

  private final TaskStore store;
  private final InstantSource clock;

  TaskFailures(TaskStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Ends a task that can't succeed; otherwise, the stage fails, by which the task is tried again.
   *
   * @param before the record when the attempt began
   * @param last the record with what the attempt has done
   */
  CompletionStage<@Nullable Void> settle(
      Delivery<byte[]> delivery, TaskRecord before, TaskRecord last, Throwable failure) {
    return settle(delivery, before, last, failure, true);
  }

  /** Does the same for an attempt that could not begin. */
  CompletionStage<@Nullable Void> settle(
      Delivery<byte[]> delivery, TaskRecord before, Throwable failure) {
    return settle(delivery, before, before, failure, false);
  }

  private CompletionStage<@Nullable Void> settle(
      Delivery<byte[]> delivery,
      TaskRecord before,
      TaskRecord last,
      Throwable failure,
      boolean hasBegun) {
    if (delivery.isLost()) {
      return TaskStore.nothing();
    }
    Problem problem = Problems.of(failure);
    String why = problem.view().detail();
    Instant now = clock.instant();
    Instant since = why.equals(last.error()) ? last.updatedAt() : now;
    if (isLasting(problem.outcome(), hasBegun, Duration.between(since, now))) {
      return store.save(last.failed(why, now));
    }
    TaskRecord next = last.delayed(why, since);
    CompletionStage<@Nullable Void> saved =
        next.equals(before) ? TaskStore.nothing() : store.save(next);
    return saved
        .handle((done, unsaved) -> CompletableFuture.<@Nullable Void>failedStage(failure))
        .thenCompose(Function.identity());
  }

  /** Returns whether a failure that has come for this time comes whenever it is tried. */
  private static boolean isLasting(Outcome outcome, boolean hasBegun, Duration time) {
    return switch (outcome) {
      case UNREADABLE -> true;
      case INVALID -> !hasBegun || time.compareTo(INVALID) >= 0;
      case UNSUPPORTED -> time.compareTo(INVALID) >= 0;
      case REFUSED -> time.compareTo(REFUSED) >= 0;
      default -> false;
    };
  }
}
