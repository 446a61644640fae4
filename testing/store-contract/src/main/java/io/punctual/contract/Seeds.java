package io.punctual.contract;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds of tests that try things at random: some that are always the same, and one that is new each
 * time. The test's name tells the seed; {@code -Dpunctual.contract.seed=N} tries that one alone.
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
