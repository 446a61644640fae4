package io.punctual.benchmarks.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A message to schedule: 100 bytes that carry its number and the time before which it must not come
 * back.
 *
 * @param dueMicros by the machine's clock, which all processes share
 */
record Entry(long number, long dueMicros, long delayMillis) {
  private static final int LENGTH = 100;

  /** One to be scheduled now. */
  static Entry in(long delayMillis, long number) {
    return new Entry(number, WallClock.micros() + delayMillis * 1_000, delayMillis);
  }

  /** One that is due at a moment that several share. */
  static Entry at(long dueMillis, long number) {
    long left = dueMillis - TimeUnit.MICROSECONDS.toMillis(WallClock.micros());
    return new Entry(number, dueMillis * 1_000, Math.max(0, left));
  }

  byte[] payload() {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) 'x');
    ByteBuffer.wrap(bytes).putLong(number).putLong(dueMicros);
    return bytes;
  }
}
