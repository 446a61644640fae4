package io.punctual.http.own;

import io.punctual.Delivery;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.view.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes why a task failed into its record. Thread-safe. */
final class TaskFailures {
  /** A store that starts or fails over refuses too, but not for so long. */
  private static final Duration REFUSED = Duration.ofHours(1);

  /** The same attempt fails again, whenever it is made. */
  private static final Set<Outcome> LASTING =
      EnumSet.of(Outcome.INVALID, Outcome.UNSUPPORTED, Outcome.UNREADABLE);

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
    if (delivery.isLost()) {
      return TaskStore.nothing();
    }
    Problem problem = Problems.of(failure);
    String why = problem.view().detail();
    Instant now = clock.instant();
    Instant since = why.equals(before.error()) ? before.updatedAt() : now;
    if (isLasting(problem.outcome(), Duration.between(since, now))) {
      return store.save(last.failed(why, now));
    }
    TaskRecord next = last.delayed(why, since);
    CompletionStage<@Nullable Void> saved =
        next.equals(before) ? TaskStore.nothing() : store.save(next);
    return saved
        .handle((done, unsaved) -> CompletableFuture.<@Nullable Void>failedStage(failure))
        .thenCompose(Function.identity());
  }

  private static boolean isLasting(Outcome outcome, Duration time) {
    return LASTING.contains(outcome)
        || (outcome == Outcome.REFUSED && time.compareTo(REFUSED) >= 0);
  }
}
