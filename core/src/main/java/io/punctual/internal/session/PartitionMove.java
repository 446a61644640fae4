package io.punctual.internal.session;

import io.punctual.spi.Partition;
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

  /** The operations that are being handed over, in their order. */
  private List<Pending.OfOperation> operations = List.of();

  /** The number of these operations that have their new session. */
  private int handedOver;

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

  /** Returns whether operations were taken from the session and not handed over yet. */
  boolean hasOperations() {
    return handedOver < operations.size();
  }

  /**
   * Returns the next operation to hand over to its new session; null if there is none. Operations
   * that the partition may have executed end with an unknown outcome, except settlements. Claims
   * fail. {@link #handedOver} must follow, so that an error neither loses nor doubles an operation.
   */
  SessionStep.@Nullable HandOver next(CallLog log, SendWindow window, Notices notices) {
    for (InFlightCall call = log.first(); !hasOperations() && call != null; call = log.first()) {
      take(prepared(call, notices));
      log.forgotten(call);
    }
    if (!hasOperations()) {
      window.operations().drainTo(this::take);
    }
    if (!hasOperations()) {
      take(List.of());
      if (!end.isDone()) {
        notices.add(() -> end.complete(null));
      }
      return null;
    }
    Pending.OfOperation next = operations.get(handedOver);
    return new SessionStep.HandOver(
        next, Objects.requireNonNull(successors).apply(next.operation().id()));
  }

  /** Notes that the operation has its new session. */
  void handedOver() {
    handedOver++;
  }

  private void take(List<Pending.OfOperation> next) {
    operations = next;
    handedOver = 0;
  }

  private List<Pending.OfOperation> prepared(InFlightCall call, Notices notices) {
    if (call.mayHaveRun()) {
      EndReason unknown = EndReason.outcomeUnknown(call.failure());
      call.keepSettlements(removed -> notices.fail(removed, unknown));
    } else if (call.claim() != null) {
      notices.fail(call.claim(), EndReason.refused(Objects.requireNonNull(stalePartitionCount)));
    }
    return call.operations();
  }
}
