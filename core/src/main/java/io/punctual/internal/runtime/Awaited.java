package io.punctual.internal.runtime;

import io.punctual.OutcomeUnknownException;
import io.punctual.SettleOutcome;
import io.punctual.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A call on its way, for which a blocking form of the API waits for a while. */
public interface Awaited<T> {
  /** Returns its answer. */
  CompletableFuture<T> answer();

  /** Blocks until the answer. */
  default T get() throws InterruptedException, ExecutionException {
    return answer().get();
  }

  /**
   * The caller soon stops waiting: takes back and fails what was certainly not sent, now or as soon
   * as that is certain. The rest goes on.
   */
  default void withdraw() {}

  /**
   * Returns what a caller hears that stops waiting.
   *
   * @param why such as "got no answer within 5 s"
   */
  RuntimeException unanswered(String why, @Nullable Throwable cause);

  /** A question, which changes nothing. */
  record Question<T>(String what, CompletableFuture<T> answer) implements Awaited<T> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return new StoreUnavailableException(what + " " + why, cause);
    }
  }

  /** A change beside the sessions, about no message. */
  record Change<T>(String what, CompletableFuture<T> answer) implements Awaited<T> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return new OutcomeUnknownException(
          what + " " + why + ": it may have been done or not. Asking again is safe.", null, cause);
    }
  }

  /** A settlement. It is never taken back, as a late ack spares the message another handler. */
  record Settlement(String delivery, String id, CompletableFuture<SettleOutcome> answer)
      implements Awaited<SettleOutcome> {
    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return new OutcomeUnknownException(
          "The settlement of " + delivery + " " + why + "; the client goes on trying", id, cause);
    }
  }
}
