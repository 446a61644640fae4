package io.punctual.contract;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds for randomized tests: a fixed set and a new random seed. The test's name contains the seed;
 * {@code -Dpunctual.contract.seed=N} runs a given seed alone.
 */
final class Seeds {
  private Seeds() {}

  static LongStream some() {
    Long only = Long.getLong("punctual.contract.seed");
    return only == null
        ? LongStream.concat(LongStream.rangeClosed(1, 3), LongStream.of(new Random().nextInt()))
        : LongStream.of(only);
  }
}
