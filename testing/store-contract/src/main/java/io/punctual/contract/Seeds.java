package io.punctual.contract;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds for randomized tests: a new random seed, and with {@link Thoroughness} a fixed set. The
 * test's name contains the seed; {@code -Dpunctual.contract.seed=N} runs a given seed alone.
 */
final class Seeds {
  private Seeds() {}

  static LongStream some() {
    Long only = Long.getLong("punctual.contract.seed");
    LongStream fixed = LongStream.rangeClosed(1, Thoroughness.size(0, 3));
    return only == null
        ? LongStream.concat(fixed, LongStream.of(new Random().nextInt()))
        : LongStream.of(only);
  }
}
