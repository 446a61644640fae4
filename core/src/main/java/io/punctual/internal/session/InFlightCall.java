package io.punctual.internal.session;

import io.punctual.spi.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that has no answer yet: operations or a claim, and the history of its sendings. Guarded by
 * its session's lock.
 */
final class InFlightCall {
  private static final Call.Apply NOTHING = new Call.Apply(List.of(), null);

  private Call.Body body;
  private List<Pending.OfOperation> operations;
  private Pending.@Nullable OfClaim claim;

  private long number;
  private long firstSentNanos;
  private boolean sent;
  private boolean sending;
  private boolean mayHaveRun;
  private boolean mayHaveRunBefore;
  private @Nullable Throwable failure;
  private long answeredWhenSent;

  private InFlightCall(
      Call.Body body, List<Pending.OfOperation> operations, Pending.@Nullable OfClaim claim) {
    this.body = body;
    this.operations = operations;
    this.claim = claim;
  }

  /** Creates a call with operations that require the same durability. */
  static InFlightCall of(List<Pending.OfOperation> operations) {
    return new InFlightCall(bodyOf(operations), operations, null);
  }

  static InFlightCall of(Pending.OfClaim claim) {
    return new InFlightCall(claim.claim(), List.of(), claim);
  }

  private static Call.Apply bodyOf(List<Pending.OfOperation> operations) {
    return new Call.Apply(
        operations.stream().map(Pending.OfOperation::operation).toList(),
        operations.get(0).durability());
  }

  Call.Body body() {
    return body;
  }

  List<Pending.OfOperation> operations() {
    return operations;
  }

  boolean hasOperations() {
    return !operations.isEmpty();
  }

  Pending.@Nullable OfClaim claim() {
    return claim;
  }

  /** Returns whether the call has neither operations nor a claim. */
  boolean isEmpty() {
    return operations.isEmpty() && claim == null;
  }

  /**
   * Removes the operations and the claim. The call itself remains, because the session must still
   * use its number.
   */
  void empty() {
    body = NOTHING;
    operations = List.of();
    claim = null;
  }

  private void keep(List<Pending.OfOperation> kept) {
    if (kept.isEmpty()) {
      empty();
    } else {
      operations = kept;
      body = bodyOf(kept);
    }
  }

  /**
   * Removes the operations that their callers have withdrawn, if the store has certainly not
   * executed the call.
   */
  void removeWithdrawn(Consumer<Pending.OfOperation> removed) {
    if (!isCertainlyNotRun() || operations.stream().noneMatch(Pending.OfOperation::isWithdrawn)) {
      return;
    }
    List<Pending.OfOperation> kept = new ArrayList<>();
    for (Pending.OfOperation operation : operations) {
      if (operation.isWithdrawn()) {
        removed.accept(operation);
      } else {
        kept.add(operation);
      }
    }
    keep(kept);
  }

  /**
   * Removes the claim and all operations except settlements, because only settlements can be sent
   * again without a second effect.
   */
  void keepSettlements(Consumer<Pending> removed) {
    List<Pending.OfOperation> kept = new ArrayList<>();
    for (Pending.OfOperation operation : operations) {
      if (operation.isSettlement()) {
        kept.add(operation);
      } else {
        removed.accept(operation);
      }
    }
    if (claim != null) {
      removed.accept(claim);
    }
    keep(kept);
  }

  long number() {
    return number;
  }

  void number(long given) {
    number = given;
  }

  /**
   * Returns the time of the first sending in this session that the partition may have executed, on
   * the timer's clock.
   */
  long firstSentNanos() {
    return firstSentNanos;
  }

  /** Returns whether a sending has not ended yet. */
  boolean isSending() {
    return sending;
  }

  /**
   * Returns whether a sending in this session ended without an answer, so that the partition may
   * have executed the call.
   */
  boolean mayHaveRun() {
    return mayHaveRun;
  }

  /**
   * Returns the failure of the latest sending that ended without an answer; null if there is none.
   */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns {@link #failure}, or the other failure if there is none. */
  @Nullable Throwable failureOr(@Nullable Throwable other) {
    return failure == null ? other : failure;
  }

  /** Returns the highest number of a call that had an answer when this call was last sent. */
  long answeredWhenSent() {
    return answeredWhenSent;
  }

  /**
   * Returns whether the partition has certainly not executed the call and never will, unless it is
   * sent again.
   */
  boolean isCertainlyNotRun() {
    return !sending && !mayHaveRun && !mayHaveRunBefore;
  }

  /** Records the start of a sending. */
  void send(long nowNanos, long highestAnswered) {
    sending = true;
    answeredWhenSent = highestAnswered;
    if (!sent) {
      sent = true;
      firstSentNanos = nowNanos;
    }
  }

  /** Records the end of a sending, with or without a reply. */
  void sendingEnded() {
    sending = false;
  }

  /** Records that the partition has certainly not executed the last sending. */
  void notSent() {
    sent = mayHaveRun;
  }

  /** Records that the last sending got no answer. */
  void unanswered(Throwable why) {
    mayHaveRun = true;
    failure = why;
  }

  /** Moves the call to a new session, in which it was not sent yet. */
  void moveToNewSession(boolean mayHaveRunInTheOld) {
    sent = false;
    mayHaveRun = false;
    mayHaveRunBefore |= mayHaveRunInTheOld;
  }

  /** Returns the deadline of the last operation. The call must have operations. */
  long deadlineNanos() {
    return operations.get(operations.size() - 1).deadlineNanos();
  }
}
