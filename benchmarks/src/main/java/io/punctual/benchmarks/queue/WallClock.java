package io.punctual.benchmarks.queue;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The machine's clock, at its full resolution. */
final class WallClock {
  private WallClock() {}

  static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
