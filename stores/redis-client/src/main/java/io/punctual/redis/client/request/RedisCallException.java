package io.punctual.redis.client.request;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request to Redis. The subtype shows whether the server may have run the request.
 * Users get an exception of the store or of the locks instead.
 */
public abstract sealed class RedisCallException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private RedisCallException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Returns whether a request with this failure may succeed when it is sent again. */
  public static boolean isTransient(Throwable failure) {
    return failure instanceof RedisCallException && !(failure instanceof Refused);
  }

  /** The server did not run the request, and will not run it later. */
  public static final class NotSent extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; its message names the failure. */
    public NotSent(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The server refused the request, without effect, and would refuse it again; the cause is the
   * error reply.
   */
  public static final class Refused extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; its message names the refusal and the remedy. */
    public Refused(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * No reply of the server arrived, or an error that is not known to come from Redis. The server
   * may have run the request, or may run it later.
   */
  public static final class Unanswered extends RedisCallException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; its message says why there is no reply. */
    public Unanswered(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
