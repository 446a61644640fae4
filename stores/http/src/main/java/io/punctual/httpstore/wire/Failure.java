package io.punctual.httpstore.wire;

/**
 * The answer to a request that failed.
 *
 * @param kind what the failure says about the request
 * @param message the cause and the remedy
 * @param partitions the number of partitions of the queue; 0 unless the client used another number
 */
public record Failure(Kind kind, String message, int partitions) {
  /** What a failure says about the request. */
  public enum Kind {
    /** The request was not executed, and never will be. */
    NOT_SENT(503),
    /** The store refused the request permanently, without effect. */
    REFUSED(409),
    /** The store refused the request without effect, perhaps not permanently. */
    REFUSED_FOR_NOW(409),
    /** The queue has another number of partitions. */
    PARTITION_COUNT(409),
    /** The request has a wrong argument. */
    WRONG(400),
    /** The store lacks the feature. */
    UNSUPPORTED(501),
    /** The request may have been executed, or may be executed later. */
    UNKNOWN(504),
    /** The request has no valid proof of its sender. */
    UNAUTHENTICATED(401),
    /** The sender lacks the right. */
    FORBIDDEN(403),
    /** There is no such request. */
    NO_SUCH_REQUEST(404),
    /** The method must be POST. */
    WRONG_METHOD(405),
    /** The body is too large. */
    TOO_LARGE(413),
    /** The body is not a request of this version. */
    UNREADABLE(422);

    private final int status;

    Kind(int status) {
      this.status = status;
    }

    /** Returns the HTTP status. */
    public int status() {
      return status;
    }
  }
}
