package io.punctual.internal.runtime;

import io.punctual.ClientClosedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Partition;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Translates failures of a store into exceptions of the API. The runtime translates a failure
 * before it throws or publishes it, so that users receive no exception type of the SPI.
 */
public final class StoreFailures {
  private StoreFailures() {}

  /**
   * Returns the exception for a failed request that changes nothing.
   *
   * @param what the request, as the subject of the exception's message
   */
  public static RuntimeException ofQuestion(String what, Throwable failure) {
    Throwable cause = unwrap(failure);
    RuntimeException known = known(what, cause);
    return known == null
        ? new StoreUnavailableException(what + " got no answer: " + why(cause), visible(cause))
        : known;
  }

  /**
   * Returns the exception for a failed change; the type of the exception states whether the change
   * was done.
   *
   * @param what the change, as the subject of the exception's message
   * @param id the id of the changed message, or null if the change does not concern a single
   *     message
   */
  public static RuntimeException ofChange(String what, @Nullable String id, Throwable failure) {
    Throwable cause = unwrap(failure);
    RuntimeException known = known(what, cause);
    return known == null
        ? new OutcomeUnknownException(
            what + " got no answer, and may have been done or not: " + why(cause),
            id,
            visible(cause))
        : known;
  }

  /**
   * Returns the exception for a failed request of a closed client. A request that was not sent is
   * certainly not done, because a closed client sends nothing.
   */
  public static RuntimeException whenClosed(String what, RuntimeException failure) {
    return failure instanceof StoreUnavailableException
        ? new ClientClosedException(
            what + " was not done: the client is closed; open a new client", failure.getCause())
        : failure;
  }

  /**
   * Returns the exception for a request that was not done in time: a {@link StoreRefusedException}
   * if the store has refused its last request, otherwise a {@link StoreUnavailableException}.
   *
   * @param what the request and why it ended, without a full stop
   * @param failure the last failure of the store, or an interrupt; null if there is none
   */
  public static PunctualException notDone(String what, @Nullable Throwable failure) {
    String message = failure == null ? what : what + "." + reason(failure);
    Throwable cause = forUser(failure);
    return failure != null && isRefusal(failure)
        ? new StoreRefusedException(message, cause)
        : new StoreUnavailableException(message, cause);
  }

  /** Returns a sentence that names the failure, after a space; empty without a message. */
  public static String reason(@Nullable Throwable failure) {
    String message = failure == null ? null : forReport(failure).getMessage();
    if (message == null) {
      return "";
    }
    return " Reason: " + message + (message.endsWith(".") ? "" : ".");
  }

  /** Returns the cause of an exception for users; null if there is no failure. */
  public static @Nullable Throwable forUser(@Nullable Throwable failure) {
    return failure == null ? null : forReport(failure);
  }

  /** Returns the exception that events and logs show for a failure. */
  public static Throwable forReport(Throwable failure) {
    Throwable cause = unwrap(failure);
    return isOfSpi(cause) ? translated(why(cause), cause) : cause;
  }

  /**
   * Returns whether the store was reached and refused the request. Includes a request that was not
   * sent because the store refuses the login of its connections.
   */
  public static boolean isRefusal(Throwable failure) {
    return failure instanceof Partition.NotSentException
        ? failure.getCause() instanceof StoreRefusedException
        : failure instanceof Partition.PartitionException
            && !(failure instanceof Partition.PartitionCountException);
  }

  private static @Nullable RuntimeException known(String what, Throwable cause) {
    if (isOfSpi(cause)) {
      return translated(
          what + (isRefusal(cause) ? " was refused: " : " was not done: ") + why(cause), cause);
    }
    // A plain PunctualException does not say whether the change was done.
    return cause instanceof RuntimeException e && cause.getClass() != PunctualException.class
        ? e
        : null;
  }

  private static RuntimeException translated(String message, Throwable cause) {
    return isRefusal(cause)
        ? new StoreRefusedException(message, visible(cause))
        : new StoreUnavailableException(message, visible(cause));
  }

  private static boolean isOfSpi(@Nullable Throwable failure) {
    return failure instanceof Partition.PartitionException
        || failure instanceof Partition.NotSentException;
  }

  /** Returns the failure, or its first cause, that is not of the SPI; null if all are. */
  private static @Nullable Throwable visible(Throwable failure) {
    Throwable cause = failure;
    while (cause != null && isOfSpi(cause)) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static String why(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** Returns the exception of a failed future. */
  public static Throwable failure(CompletableFuture<?> failed) {
    try {
      Object unused = failed.join();
      throw new IllegalStateException("It did not fail");
    } catch (CompletionException | CancellationException e) {
      return unwrap(e);
    }
  }

  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
