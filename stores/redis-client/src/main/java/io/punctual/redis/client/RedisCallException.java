package io.punctual.redis.client;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request to Redis; the subtype tells whether the server may have run it. Users
 * see exceptions of the store or of the locks in place of this exception.
 */
public abstract sealed class RedisCallException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private RedisCallException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Returns whether a request that failed like this may succeed when it is sent again. */
  public static boolean isTransient(Throwable failure) {
    return failure instanceof RedisCallException && !(failure instanceof Refused);
  }

  /** The server did not carry the request out, and never will. */
  public static final class NotSent extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; its message names the failure. */
    public NotSent(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The server refused the request for good, without effect; the cause is its error reply. */
  public static final class Refused extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; its message names the refusal and the remedy. */
    public Refused(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** No reply arrived; the server may have carried the request out, or may still do so. */
  public static final class Unanswered extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception; its message names the length of the wait, or the event that ended it.
     */
    public Unanswered(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
