package io.punctual.internal.session;

import io.punctual.internal.runtime.OperationFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls that the partition has executed and whose durability it has not confirmed yet, oldest
 * first. Guarded by their session's lock.
 */
final class UnconfirmedCalls {
  private static final String NO_CONFIRMATION = "no confirmation within the operation time-out";
  private static final String CLOSED_EARLY = "the client was closed before a confirmation";

  /** An operation that waits for the confirmation of its call. */
  private record Completed(Pending.OfOperation operation, Outcome outcome) {}

  /** The operations of a call that wait for its confirmation. */
  static final class Unconfirmed {
    private final List<Completed> operations;
    private final long firstSentNanos;

    private Unconfirmed(List<Completed> operations, long firstSentNanos) {
      this.operations = operations;
      this.firstSentNanos = firstSentNanos;
    }

    private void end(String queue, @Nullable String why, Notices notices) {
      for (Completed each : operations) {
        notices.add(
            why == null
                ? () -> each.operation.completed(each.outcome, firstSentNanos)
                : () ->
                    each.operation.failed(
                        OperationFailures.notConfirmed(each.operation.operation(), queue, why)));
      }
    }

    private long deadlineNanos() {
      return operations.get(operations.size() - 1).operation.deadlineNanos();
    }
  }

  private final String queue;
  private final Set<Unconfirmed> calls = new LinkedHashSet<>();
  private int operations;

  UnconfirmedCalls(String queue) {
    this.queue = queue;
  }

  boolean isEmpty() {
    return calls.isEmpty();
  }

  /** Returns the number of operations that wait for a confirmation. */
  int operations() {
    return operations;
  }

  /**
   * Notifies the callers of operations that need no confirmation, and keeps the other operations.
   * An extension of a lease needs no confirmation, because claims, which create the leases, have no
   * confirmation either.
   *
   * @return the operations that wait for the confirmation, or null if there are none
   */
  @Nullable Unconfirmed applied(InFlightCall call, Reply.Applied reply, Notices notices) {
    List<Completed> waiting = new ArrayList<>();
    long firstSentNanos = call.firstSentNanos();
    for (int i = 0; i < call.operations().size(); i++) {
      Pending.OfOperation operation = call.operations().get(i);
      Outcome outcome = reply.outcomes().get(i);
      if (reply.confirmation() == null || operation.operation() instanceof Operation.Extend) {
        notices.add(() -> operation.completed(outcome, firstSentNanos));
      } else {
        waiting.add(new Completed(operation, outcome));
      }
    }
    if (waiting.isEmpty()) {
      return null;
    }
    Unconfirmed unconfirmed = new Unconfirmed(waiting, firstSentNanos);
    calls.add(unconfirmed);
    operations += waiting.size();
    return unconfirmed;
  }

  /**
   * Notifies the callers of a call's operations, unless they were notified before.
   *
   * @param why the reason why there is no confirmation, or null if the call is confirmed
   */
  void end(Unconfirmed call, @Nullable String why, Notices notices) {
    if (calls.remove(call)) {
      operations -= call.operations.size();
      call.end(queue, why, notices);
    }
  }

  /** Fails the operations of overdue calls, because no confirmation arrived in time. */
  void endOverdue(long nowNanos, Notices notices) {
    for (Unconfirmed call : List.copyOf(calls)) {
      if (call.deadlineNanos() - nowNanos <= 0) {
        end(call, NO_CONFIRMATION, notices);
      }
    }
  }

  /** Fails the operations of all calls, because the client closes. */
  void close(Notices notices) {
    List.copyOf(calls).forEach(call -> end(call, CLOSED_EARLY, notices));
  }

  /** Returns the deadline of the oldest call, or {@code latest} if no deadline is earlier. */
  long firstDeadline(long latest) {
    if (calls.isEmpty()) {
      return latest;
    }
    long oldest = calls.iterator().next().deadlineNanos();
    return oldest - latest < 0 ? oldest : latest;
  }
}
