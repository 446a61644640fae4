package io.punctual.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs random operations on a few ids in several threads; afterwards the results must be
 * consistent.
 */
interface FuzzContract {
  /** The number of competing threads. */
  int THREADS = 4;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.punctual.contract.Seeds#some")
  default void threads_withCancels_nothingLostOrHeldTwice(long seed, TestPartition partition)
      throws Exception {
    expectSound(partition, seed, false);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.punctual.contract.Seeds#some")
  default void threads_withLeasesThatRunOut_nothingLostOrHeldTwice(
      long seed, TestPartition partition) throws Exception {
    expectSound(partition, seed, true);
  }

  private static void expectSound(TestPartition partition, long seed, boolean leasesRunOut)
      throws Exception {
    List<FuzzWorker> workers =
        IntStream.range(0, THREADS)
            .mapToObj(index -> new FuzzWorker(partition, seed, index, leasesRunOut))
            .toList();
    List<FuzzLog> logs = new ArrayList<>(run(workers));
    logs.add(FuzzWorker.drain(partition));
    new FuzzVerdict(logs).check();
    partition.expectCounts(0, 0, 0, 0);
  }

  private static List<FuzzLog> run(List<FuzzWorker> workers) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<FuzzLog> logs = new ArrayList<>();
      for (Future<FuzzLog> log : threads.invokeAll(workers, 5, TimeUnit.MINUTES)) {
        logs.add(log.get());
      }
      return logs;
    } finally {
      threads.shutdownNow();
    }
  }
}
