package io.punctual.benchmarks.queue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A message to schedule. Its payload of 100 bytes contains its number and its due time.
 *
 * @param number identifies the message in the logs
 * @param dueMicros the due time in microseconds, by the machine's clock, which all processes share
 * @param delayMillis the delay from the creation of this object to the due time, in milliseconds
 */
record BenchMessage(long number, long dueMicros, long delayMillis) {
  private static final int LENGTH = 100;

  /** A message to schedule now with a delay. */
  static BenchMessage in(long delayMillis, long number) {
    return new BenchMessage(number, WallClock.micros() + delayMillis * 1_000, delayMillis);
  }

  /** A message with a due time that several messages share. */
  static BenchMessage at(long dueMillis, long number) {
    long left = dueMillis - TimeUnit.MICROSECONDS.toMillis(WallClock.micros());
    return new BenchMessage(number, dueMillis * 1_000, Math.max(0, left));
  }

  byte[] payload() {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) 'x');
    ByteBuffer.wrap(bytes).putLong(number).putLong(dueMicros);
    return bytes;
  }
}
