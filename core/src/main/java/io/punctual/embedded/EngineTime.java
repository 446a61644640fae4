package io.punctual.embedded;

import io.punctual.spi.Reply;
import java.time.Instant;

/**
 * A reading of the store's clock.
 *
 * @param micros microseconds from 1970
 */
public record EngineTime(long micros) {
  public static EngineTime of(Instant instant) {
    return new EngineTime(instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000);
  }

  /** The current time, rounded down to a millisecond. */
  public long millis() {
    return Math.floorDiv(micros, 1_000);
  }

  /** The end of a span of time that begins now, in milliseconds from 1970, rounded up. */
  public long millisAfter(long spanMillis) {
    long begin = Math.floorDiv(micros + 999, 1_000);
    return spanMillis > Long.MAX_VALUE - begin ? Long.MAX_VALUE : begin + spanMillis;
  }

  /**
   * The microseconds until {@code millis}: 0 if that time has passed, {@link Reply#NONE} if it is
   * too far for a number of microseconds.
   */
  public long until(long millis) {
    if (millis <= millis()) {
      return 0;
    }
    return millis > Long.MAX_VALUE / 1_000 ? Reply.NONE : millis * 1_000 - micros;
  }
}
