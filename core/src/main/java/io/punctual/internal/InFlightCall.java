package io.punctual.internal;

import io.punctual.ClientClosedException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A numbered call that has no answer yet, with those who wait for it. Guarded by its session's
 * lock.
 */
final class InFlightCall {
  /** One operation and who waits for it. */
  record PendingOperation(Operation operation, OperationCallback ticket, long deadlineNanos) {}

  private static final Call.Apply NOTHING = new Call.Apply(List.of(), null);

  private Call.Body body;
  private List<PendingOperation> passengers;
  private @Nullable ClaimCallback claim;

  long number;
  long firstSentNanos;
  boolean sent;

  /** Whether a sending is under way. */
  boolean inFlight;

  /** Whether a sending ended without anyone knowing whether it was carried out. */
  boolean mayHaveRun;

  /** Why the latest sending ended without an answer, or null. */
  @Nullable Throwable failure;

  /** Whether its settlements may have been carried out in a session that was lost. */
  boolean settledBefore;

  /** The highest number that was answered when it was last sent. */
  long answeredWhenSent;

  private InFlightCall(
      Call.Body body, List<PendingOperation> passengers, @Nullable ClaimCallback claim) {
    this.body = body;
    this.passengers = passengers;
    this.claim = claim;
  }

  static InFlightCall of(Call.Apply apply, List<PendingOperation> passengers) {
    return new InFlightCall(apply, passengers, null);
  }

  static InFlightCall of(Call.Claim body, ClaimCallback claim) {
    return new InFlightCall(body, List.of(), claim);
  }

  Call.Body body() {
    return body;
  }

  List<PendingOperation> passengers() {
    return passengers;
  }

  @Nullable ClaimCallback claimTicket() {
    return claim;
  }

  int operations() {
    return passengers.size();
  }

  /** Leaves only the number: whether or not it was carried out before, it does nothing now. */
  void empty() {
    body = NOTHING;
    passengers = List.of();
    claim = null;
  }

  /** Keeps these passengers only; the call must not have been carried out under its number. */
  void keep(List<PendingOperation> those) {
    passengers = those;
    body = new Call.Apply(those.stream().map(PendingOperation::operation).toList(), durability());
  }

  /** Takes out the passengers that nobody wants any more, if it was certainly not carried out. */
  void dropWithdrawn(Consumer<PendingOperation> dropped) {
    if (!isCertainlyNotRun() || passengers.stream().noneMatch(p -> p.ticket().isWithdrawn())) {
      return;
    }
    List<PendingOperation> kept = new ArrayList<>();
    for (PendingOperation passenger : passengers) {
      if (passenger.ticket().isWithdrawn()) {
        dropped.accept(passenger);
      } else {
        kept.add(passenger);
      }
    }
    if (kept.isEmpty()) {
      empty();
    } else {
      keep(kept);
    }
  }

  io.punctual.@Nullable Durability durability() {
    return body instanceof Call.Apply apply ? apply.durability() : null;
  }

  /** Whether no sending of it can have been carried out, nor ever will be. */
  boolean isCertainlyNotRun() {
    return !inFlight && !mayHaveRun && !settledBefore;
  }

  /** Returns whether it does nothing. */
  boolean isEmpty() {
    return passengers.isEmpty() && claim == null;
  }

  /** Returns when the last passenger's time is over; there must be one. */
  long deadlineNanos() {
    return passengers.get(passengers.size() - 1).deadlineNanos();
  }

  /**
   * Whether more operations may leave beside these calls, or gather for the next call meanwhile.
   */
  static boolean mayApply(Collection<InFlightCall> flights, boolean gathering) {
    int calls = 0;
    int operations = 0;
    for (InFlightCall flight : flights) {
      if (flight.operations() > 0) {
        calls++;
        operations += flight.operations();
      }
    }
    return gathering
        ? calls == 0 || (calls < 2 && operations >= Partition.MANY_OPERATIONS)
        : calls < 2;
  }

  /** Returns when the first of these calls has to be given up, or {@code latest}. */
  static long firstDeadline(Collection<InFlightCall> flights, long latest) {
    long first = latest;
    for (InFlightCall flight : flights) {
      if (flight.operations() > 0 && flight.deadlineNanos() - first < 0) {
        first = flight.deadlineNanos();
      }
    }
    return first;
  }

  static NotConfirmedException notConfirmed(PendingOperation passenger, String queue, String why) {
    String id = passenger.operation().id();
    return new NotConfirmedException(
        name(passenger.operation())
            + " of '"
            + id
            + "' in queue '"
            + queue
            + "' is stored, not confirmed: "
            + why,
        id);
  }

  /** Returns that no answer came. Whether the store ever got the operation, nobody knows. */
  static OutcomeUnknownException unknown(
      Operation operation, String queue, @Nullable Throwable failure) {
    return unknown(operation, queue, "got no answer", failure);
  }

  static OutcomeUnknownException unknown(
      Operation operation, String queue, String why, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : StoreFailures.forReport(failure);
    return new OutcomeUnknownException(
        describe(operation, queue)
            + " "
            + why
            + ": it may have been done or not."
            + (cause == null || cause.getMessage() == null
                ? ""
                : " Reason: " + cause.getMessage() + ".")
            + (operation instanceof Operation.Schedule
                ? " Scheduling the same id again is harmless while the message is pending."
                : " Asking again is safe."),
        operation.id(),
        cause);
  }

  static StoreUnavailableException notDone(Operation operation, String queue) {
    return new StoreUnavailableException(
        describe(operation, queue)
            + " could not be sent in time and was not done: the store does not answer, or answers"
            + " too slowly",
        null);
  }

  static ClientClosedException closed(Operation operation, String queue) {
    return new ClientClosedException(
        describe(operation, queue) + " was not done: the client is closed; open another one");
  }

  static RuntimeException refused(Operation operation, String queue, Throwable refusal) {
    return StoreFailures.ofChange(describe(operation, queue), operation.id(), refusal);
  }

  private static String describe(Operation operation, String queue) {
    return name(operation) + " of '" + operation.id() + "' in queue '" + queue + "'";
  }

  private static String name(Operation operation) {
    return operation.getClass().getSimpleName();
  }
}
