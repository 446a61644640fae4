package io.punctual.internal.runtime;

import java.time.InstantSource;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Generates ids of 14 characters: 42 bits of time in milliseconds, then 42 random bits, six bits
 * for each character. The alphabet is in the order of the bits, so that ids sort by time.
 * Thread-safe.
 */
public final class IdGenerator {
  private static final String ALPHABET =
      "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  private static final int HALF = 7;

  private final InstantSource clock;
  private final Supplier<RandomGenerator> random;

  public IdGenerator(InstantSource clock, Supplier<RandomGenerator> random) {
    this.clock = clock;
    this.random = random;
  }

  public String next() {
    char[] id = new char[2 * HALF];
    put(id, 0, clock.millis());
    put(id, HALF, random.get().nextLong());
    return new String(id);
  }

  private static void put(char[] id, int from, long bits) {
    for (int i = from + HALF - 1; i >= from; i--) {
      id[i] = ALPHABET.charAt((int) (bits & 63));
      bits >>>= 6;
    }
  }
}
