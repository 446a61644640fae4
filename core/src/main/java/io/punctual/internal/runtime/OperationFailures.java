package io.punctual.internal.runtime;

import io.punctual.ClientClosedException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of operations without an outcome. */
public final class OperationFailures {
  private OperationFailures() {}

  /**
   * Returns the exception of an operation that the store executed without a confirmation of its
   * durability.
   */
  public static NotConfirmedException notConfirmed(Operation operation, String queue, String why) {
    return new NotConfirmedException(
        describe(operation, queue) + " is stored, not confirmed: " + why, operation.id());
  }

  /**
   * Returns the exception of an operation without an answer, which the store may have executed or
   * not.
   */
  public static OutcomeUnknownException outcomeUnknown(
      Operation operation, String queue, @Nullable Throwable failure) {
    return outcomeUnknown(operation, queue, "got no answer", failure);
  }

  /**
   * Returns the exception of an operation that the store may have executed or not. The message
   * contains {@code why} in place of "got no answer".
   */
  public static OutcomeUnknownException outcomeUnknown(
      Operation operation, String queue, String why, @Nullable Throwable failure) {
    return new OutcomeUnknownException(
        describe(operation, queue)
            + " "
            + why
            + ": it may have been done or not."
            + StoreFailures.reason(failure)
            + (operation instanceof Operation.Schedule
                ? " Scheduling the same id again is harmless while the message is pending."
                : " Repeating the call is safe."),
        operation.id(),
        StoreFailures.forUser(failure));
  }

  /**
   * Returns the exception of an operation that the client could not send in time.
   *
   * @param failure the last failure of the store; null if the store has not failed
   */
  public static PunctualException notSent(
      Operation operation, String queue, @Nullable Throwable failure) {
    return StoreFailures.notDone(
        describe(operation, queue)
            + " could not be sent in time and was not done: the store does not answer, or answers"
            + " too slowly",
        failure);
  }

  public static ClientClosedException clientClosed(Operation operation, String queue) {
    return new ClientClosedException(
        describe(operation, queue) + " was not done: the client is closed; open a new client");
  }

  public static RuntimeException refused(Operation operation, String queue, Throwable refusal) {
    return StoreFailures.ofChange(describe(operation, queue), operation.id(), refusal);
  }

  private static String describe(Operation operation, String queue) {
    String name = operation.getClass().getSimpleName();
    return name + " of '" + operation.id() + "' in queue '" + queue + "'";
  }
}
