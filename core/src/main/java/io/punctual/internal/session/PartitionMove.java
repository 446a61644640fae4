package io.punctual.internal.session;

import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A session's move to the sessions of other partitions, after the store has reported a different
 * number of partitions. Guarded by its session's lock.
 */
final class PartitionMove {
  private Partition.@Nullable PartitionCountException stalePartitionCount;
  private @Nullable Function<String, PartitionSession> successors;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  /** Records that the store has reported a different number of partitions. */
  void stalePartitionCount(Partition.PartitionCountException why) {
    stalePartitionCount = why;
  }

  /**
   * Returns the exception for claims, or null if the client's number of partitions is not known to
   * be stale.
   */
  Partition.@Nullable PartitionCountException stalePartitionCount() {
    return stalePartitionCount;
  }

  /**
   * Sets the sessions that receive all operations from now on.
   *
   * @param there returns the new session for an id
   * @param why the exception for claims, unless the session has received one already
   */
  void begin(Function<String, PartitionSession> there, Partition.PartitionCountException why) {
    successors = there;
    if (stalePartitionCount == null) {
      stalePartitionCount = why;
    }
  }

  boolean hasBegun() {
    return successors != null;
  }

  /** Completes when the session has no more operations and claims. */
  CompletableFuture<@Nullable Void> end() {
    return end;
  }

  /**
   * Removes all operations and claims. Operations that the partition may have executed end with an
   * unknown outcome, except settlements. Settlements, and operations that were certainly not
   * executed, move to the new sessions. Claims fail.
   *
   * @return a task that submits the moved operations to their new sessions in their order, or null
   *     if there are none
   */
  @Nullable Runnable handOver(CallLog log, SendWindow window, Notices notices) {
    Function<String, PartitionSession> there = Objects.requireNonNull(successors);
    List<Pending.OfOperation> operations = new ArrayList<>();
    for (InFlightCall call : log.takeAll()) {
      if (call.mayHaveRun()) {
        EndReason unknown = EndReason.outcomeUnknown(call.failure());
        call.keepSettlements(removed -> notices.fail(removed, unknown));
      }
      operations.addAll(call.operations());
      endClaim(call.claim(), notices);
    }
    window.operations().removeAll(operations::add);
    if (!operations.isEmpty()) {
      return () -> operations.forEach(each -> submit(each, there));
    }
    if (!end.isDone()) {
      notices.add(() -> end.complete(null));
    }
    return null;
  }

  private void endClaim(Pending.@Nullable OfClaim claim, Notices notices) {
    if (claim != null) {
      notices.fail(claim, EndReason.refused(Objects.requireNonNull(stalePartitionCount)));
    }
  }

  private static void submit(
      Pending.OfOperation pending, Function<String, PartitionSession> there) {
    there
        .apply(pending.operation().id())
        .submit(pending.operation(), pending.durability(), pending.callback());
  }
}
