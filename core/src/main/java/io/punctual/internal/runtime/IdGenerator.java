package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Generates ids of 14 characters: 42 bits of time in milliseconds, then a counter of 42 bits that
 * starts at a random number in each millisecond. Each character encodes six bits. The characters of
 * the alphabet are in ascending order, so that ids sort by time.
 *
 * <p>Each id is greater than all earlier ids of this generator, also when the clock steps back.
 * Some stores order messages with equal due times by id. So these stores keep the order in which a
 * client scheduled messages with generated ids. Thread-safe.
 */
public final class IdGenerator {
  private static final String ALPHABET =
      "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  private static final int HALF = 7;
  private static final long MAX_COUNT = (1L << (6 * HALF)) - 1;

  private final InstantSource clock;
  private final Supplier<RandomGenerator> random;

  @GuardedBy("this") private long millis = Long.MIN_VALUE;

  @GuardedBy("this") private long count;

  public IdGenerator(InstantSource clock, Supplier<RandomGenerator> random) {
    this.clock = clock;
    this.random = random;
  }

  public String next() {
    char[] id = new char[2 * HALF];
    long now = clock.millis();
    synchronized (this) {
      if (now > millis) {
        begin(now);
      } else if (count == MAX_COUNT) {
        begin(millis + 1);
      } else {
        count++;
      }
      put(id, 0, millis);
      put(id, HALF, count);
    }
    return new String(id);
  }

  /** Starts the counter in the lower half of its range, which leaves room to count up. */
  @GuardedBy("this") private void begin(long newMillis) {
    millis = newMillis;
    count = random.get().nextLong() & (MAX_COUNT >> 1);
  }

  private static void put(char[] id, int from, long bits) {
    for (int i = from + HALF - 1; i >= from; i--) {
      id[i] = ALPHABET.charAt((int) (bits & 63));
      bits >>>= 6;
    }
  }
}
