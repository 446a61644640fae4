package io.punctual.contract;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests random operations in any order. Every reply is compared with a simple model. */
interface ModelContract {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.punctual.contract.Seeds#some")
  default void anything_atRandom_answeredAsTheModelSays(long seed, TestPartition partition) {
    ModelRun run = new ModelRun(partition, seed);
    for (int step = 0; step < Thoroughness.size(200, 700); step++) {
      run.step();
    }
  }
}
