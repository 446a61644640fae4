package io.punctual.benchmarks.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A message to schedule. Its payload of 100 bytes contains its number and its due time.
 *
 * @param dueMicros on the machine's clock, which all processes share
 */
record Entry(long number, long dueMicros, long delayMillis) {
  private static final int LENGTH = 100;

  /** An entry to schedule now with a delay. */
  static Entry in(long delayMillis, long number) {
    return new Entry(number, WallClock.micros() + delayMillis * 1_000, delayMillis);
  }

  /** An entry with a due time that several entries share. */
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
