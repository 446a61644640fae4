package io.punctual.server.jetty;

import java.time.Duration;

/**
 * How fast a body arrives. Its begin counts for some seconds only, so that a body of which most
 * came quickly can't be kept for hours. For use by one thread.
 */
final class BodyRate {
  /** The longest time of a body. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final long begin;
  private long since;
  private long before;

  BodyRate(long now) {
    begin = now;
    since = now;
  }

  /**
   * Returns whether the body arrives too slowly.
   *
   * @param length what has arrived
   * @param bytesPerSecond the least rate; with 0, no body is slow
   * @param spanNanos the time over which the rate is taken
   */
  boolean isSlow(long now, long length, long bytesPerSecond, long spanNanos) {
    if (bytesPerSecond == 0) {
      return false;
    }
    if (now - begin > LONGEST.toNanos()) {
      return true;
    }
    long nanos = now - since;
    if (nanos <= spanNanos) {
      return false;
    }
    boolean isSlow = length - before < bytesPerSecond * (nanos / 1e9);
    since = now;
    before = length;
    return isSlow;
  }
}
