package io.punctual.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

final class SetClock implements InstantSource {
  static final long START_MILLIS = 1_700_000_000_000L;

  private volatile Instant now = Instant.ofEpochMilli(START_MILLIS);

  @Override
  public Instant instant() {
    return now;
  }

  void advance(Duration by) {
    now = now.plus(by);
  }

  void advanceMillis(long millis) {
    advance(Duration.ofMillis(millis));
  }

  void advanceMicros(long micros) {
    now = now.plusNanos(micros * 1000);
  }
}
