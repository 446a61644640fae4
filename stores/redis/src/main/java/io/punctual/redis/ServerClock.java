package io.punctual.redis;

import io.punctual.spi.Reply;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock of a partition's server, as the replies of the server show it. The clock is late by
 * about the time that the last reply travelled. Thread-safe.
 */
final class ServerClock {
  private final LongSupplier nanoTime;

  /**
   * The difference between the server's clock and {@code nanoTime} in microseconds. Before the
   * first reply, the clock of this process takes the place of the server's clock.
   */
  private volatile long offsetMicros;

  ServerClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    heard(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
  }

  /** Notes a reading of the server's clock, which has just arrived. */
  void heard(long engineMicros) {
    offsetMicros = engineMicros - ownMicros();
  }

  /** Notes the reading of the server's clock in the first reply to a call, if the reply has one. */
  void heard(Reply reply) {
    if (reply instanceof Reply.Applied applied) {
      heard(applied.engineMicros());
    } else if (reply instanceof Reply.Claimed claimed) {
      heard(claimed.engineMicros());
    }
  }

  /** Returns the server's clock in milliseconds from 1970. */
  long millis() {
    return Math.floorDiv(ownMicros() + offsetMicros, 1000);
  }

  private long ownMicros() {
    return TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong());
  }
}
