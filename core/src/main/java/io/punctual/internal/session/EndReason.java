package io.punctual.internal.session;

import io.punctual.ClientClosedException;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reason why a pending operation or claim ends without an answer. Immutable. */
final class EndReason {
  private enum Kind {
    NOT_SENT,
    CLIENT_CLOSED,
    OUTCOME_UNKNOWN,
    REFUSED
  }

  /**
   * The client is closed. The store has certainly not executed the operation or claim, and never
   * will.
   */
  static final EndReason CLIENT_CLOSED = new EndReason(Kind.CLIENT_CLOSED, null);

  private final Kind kind;
  private final @Nullable Throwable cause;

  private EndReason(Kind kind, @Nullable Throwable cause) {
    this.kind = kind;
    this.cause = cause;
  }

  /**
   * Returns the reason of an operation or claim that the client could not send in time. The store
   * has certainly not executed it, and never will.
   *
   * @param cause the last failure of the store; null if the store has not failed
   */
  static EndReason notSent(@Nullable Throwable cause) {
    return new EndReason(Kind.NOT_SENT, cause);
  }

  /**
   * Returns the reason of an operation or claim that the store may have executed.
   *
   * @param cause the reason why the last sending got no answer, or null if none is known
   */
  static EndReason outcomeUnknown(@Nullable Throwable cause) {
    return new EndReason(Kind.OUTCOME_UNKNOWN, cause);
  }

  /** Returns the reason of an operation or claim that the store refused. */
  static EndReason refused(Partition.PartitionException cause) {
    return new EndReason(Kind.REFUSED, cause);
  }

  /** Returns whether the request was certainly not executed, for a reason that may pass. */
  boolean isForNow() {
    return kind == Kind.NOT_SENT
        || (kind == Kind.REFUSED && cause instanceof Partition.RefusedForNowException);
  }

  /** Returns the exception for the caller. */
  RuntimeException exception(Pending pending, String queue) {
    return pending instanceof Pending.OfOperation operation
        ? ofOperation(operation.operation(), queue)
        : ofClaim();
  }

  private RuntimeException ofOperation(Operation operation, String queue) {
    return switch (kind) {
      case NOT_SENT -> OperationFailures.notSent(operation, queue, cause);
      case CLIENT_CLOSED -> OperationFailures.clientClosed(operation, queue);
      case OUTCOME_UNKNOWN -> OperationFailures.outcomeUnknown(operation, queue, cause);
      case REFUSED ->
          OperationFailures.refused(operation, queue, Objects.requireNonNull(cause, "cause"));
    };
  }

  private RuntimeException ofClaim() {
    return switch (kind) {
      case NOT_SENT, OUTCOME_UNKNOWN -> new SessionLostException();
      case CLIENT_CLOSED -> clientClosed();
      case REFUSED -> (RuntimeException) Objects.requireNonNull(cause, "cause");
    };
  }

  static ClientClosedException clientClosed() {
    return new ClientClosedException("The client is closed; nothing was done. Open a new client");
  }
}
