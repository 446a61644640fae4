package io.punctual.internal.runtime;

import io.punctual.OutcomeUnknownException;
import io.punctual.SettleOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A request that was submitted. A blocking form of the API waits for its answer. */
public interface Awaited<T> {
  /** Returns the future answer. */
  CompletableFuture<T> answer();

  /** Blocks until the request is answered. */
  default T get() throws InterruptedException, ExecutionException {
    return answer().get();
  }

  /**
   * Notes that the caller will soon stop waiting. Operations that were certainly not sent fail, now
   * or as soon as that is certain; sent operations continue.
   */
  default void withdraw() {}

  /**
   * Returns the number of parts that have an answer. While it grows, the caller goes on waiting, so
   * that a large request is not given up while the store works on it.
   */
  default long progress() {
    return 0;
  }

  /**
   * Returns the exception for a caller that stops waiting.
   *
   * @param why the reason, for example "got no answer within 5 s"
   * @param cause an interrupt or the last failure of the store; null if the store has not failed
   */
  RuntimeException unanswered(String why, @Nullable Throwable cause);

  /** A request that changes nothing. */
  record Question<T>(String what, CompletableFuture<T> answer) implements Awaited<T> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return StoreFailures.notDone(what + " " + why, cause);
    }
  }

  /** A change other than a single operation of a session; its exception has no message id. */
  record Change<T>(String what, CompletableFuture<T> answer) implements Awaited<T> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return new OutcomeUnknownException(
          what
              + " "
              + why
              + ": it may have been done or not. Repeating the call is safe."
              + StoreFailures.reason(cause),
          null,
          StoreFailures.forUser(cause));
    }
  }

  /** A settlement. It is never withdrawn, because a late ack still prevents a further delivery. */
  record Settlement(String delivery, String id, CompletableFuture<SettleOutcome> answer)
      implements Awaited<SettleOutcome> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return new OutcomeUnknownException(
          "The settlement of "
              + delivery
              + " "
              + why
              + "; the client keeps trying."
              + StoreFailures.reason(cause),
          id,
          StoreFailures.forUser(cause));
    }
  }
}
