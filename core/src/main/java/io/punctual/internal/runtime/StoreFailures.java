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
 * Translates failures of a store into exceptions of the API. Everything that leaves the runtime, in
 * exceptions, events and logs, passes here, so that users meet no type of the SPI.
 */
public final class StoreFailures {
  private StoreFailures() {}

  /**
   * Returns why a question was not answered; a question changes nothing.
   *
   * @param what the question, as the begin of a sentence
   */
  public static RuntimeException ofQuestion(String what, Throwable failure) {
    Throwable cause = unwrap(failure);
    RuntimeException known = known(what, cause);
    return known == null
        ? new StoreUnavailableException(what + " got no answer: " + why(cause), visible(cause))
        : known;
  }

  /**
   * Returns what became of a change that failed.
   *
   * @param what the change, as the begin of a sentence
   * @param id the message that it is about, if it is one
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

  /** Returns the same for a client that is closed: it never sends what was not sent. */
  public static RuntimeException whenClosed(String what, RuntimeException failure) {
    return failure instanceof StoreUnavailableException
        ? new ClientClosedException(
            what + " was not done: the client is closed; open another one", failure.getCause())
        : failure;
  }

  /** Returns the failure as events and logs show it. */
  public static Throwable forReport(Throwable failure) {
    Throwable cause = unwrap(failure);
    return isOfSpi(cause) ? translated(why(cause), cause) : cause;
  }

  /** Whether the store was reached and refuses. */
  static boolean isRefusal(Throwable failure) {
    return failure instanceof Partition.PartitionException
        && !(failure instanceof Partition.PartitionCountException);
  }

  private static @Nullable RuntimeException known(String what, Throwable cause) {
    if (isOfSpi(cause)) {
      return translated(
          what + (isRefusal(cause) ? " was refused: " : " was not done: ") + why(cause), cause);
    }
    // A plain PunctualException says only that something failed, not what became of the change.
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

  /** Returns the first cause that users may see. */
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

  /** Returns what a future failed with. */
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
