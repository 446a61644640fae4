package io.punctual.server.jetty;

import java.time.Duration;

/**
 * The time of looks at the clients, which come once a second. A pause of the whole process counts
 * only a little, because its clients could not send meanwhile. For use by one thread.
 */
final class LookTime {
  private static final long MOST = Duration.ofSeconds(2).toNanos();

  private long last;
  private long counted;

  LookTime(long now) {
    last = now;
  }

  /** Returns the nanoseconds that count until now. */
  long look(long now) {
    counted += Math.min(now - last, MOST);
    last = now;
    return counted;
  }
}
