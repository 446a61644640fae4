package io.punctual.lock.internal.protocol;

/** The reply to a request for a lock. Immutable. */
public sealed interface LockReply {
  /**
   * The handle holds the lock.
   *
   * @param token the fencing token; 0 for locks without tokens
   * @param millis the rest of the lease
   */
  record Granted(long token, long millis) implements LockReply {}

  /**
   * The handle waits in the server's line of waiters.
   *
   * @param arrival the handle's place in the line: the time of its arrival in microseconds
   * @param untilFreeMillis the time until the lock can become free by itself; negative if unknown
   */
  record Waiting(long arrival, long untilFreeMillis) implements LockReply {}

  /** A different handle holds the lock, and this handle does not wait. */
  record Busy() implements LockReply {}

  /** The client gave up this handle before, so the server refuses it. */
  record GivenUp() implements LockReply {}

  /** The id belongs to a handle of a different client, which was restored from the same image. */
  record IdTaken() implements LockReply {}

  /** Reads a reply of acquire.lua. */
  static LockReply read(LockReplyReader reply) {
    String code = reply.text();
    long first = reply.number();
    long second = reply.number();
    return switch (code) {
      case "G" -> new Granted(first, second);
      case "W" -> new Waiting(first, second);
      case "N" -> new Busy();
      case "L" -> new GivenUp();
      case "I" -> new IdTaken();
      default -> throw new IllegalStateException("Redis replied '" + code + "' for a lock");
    };
  }
}
