package io.punctual.lock.internal.client;

import io.punctual.ClientClosedException;
import io.punctual.PunctualException;
import io.punctual.StoreFullException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Converts failures of requests into the exceptions that users of locks get. */
public final class LockFailures {
  private LockFailures() {}

  /**
   * Returns the exception for users: the cause itself if users know its type, otherwise a new
   * exception.
   *
   * @param failed the beginning of a new exception's message, which names the failed operation
   */
  public static PunctualException explain(LockClient client, String failed, Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    if (client.isClosed() && cause instanceof RedisCallException) {
      return closed();
    }
    if (cause instanceof PunctualException known && !(cause instanceof RedisCallException)) {
      return known;
    }
    String message = String.valueOf(cause.getMessage());
    if (message.contains("OOM ")) {
      return new StoreFullException(failed + ", as Redis has reached its maxmemory");
    }
    String text = failed + ": " + message;
    return cause instanceof RedisCallException.Refused || Failures.isRefusedConnection(cause)
        ? new StoreRefusedException(text, visible(cause))
        : new StoreUnavailableException(text, visible(cause));
  }

  /**
   * Returns the cause that users see: the error of the server or of the network; null if there is
   * none.
   */
  private static @Nullable Throwable visible(Throwable cause) {
    return cause instanceof RedisCallException ? cause.getCause() : cause;
  }

  public static ClientClosedException closed() {
    return new ClientClosedException("These locks are closed; open new locks");
  }

  /**
   * Waits for a reply. An interrupt does not end the wait.
   *
   * @param failed the beginning of the exception's message, which names the failed operation
   */
  public static <T> T join(LockClient client, CompletableFuture<T> asked, String failed) {
    try {
      return asked.join();
    } catch (CompletionException e) {
      throw explain(client, failed, e);
    }
  }
}
