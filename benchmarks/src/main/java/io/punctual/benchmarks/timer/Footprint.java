package io.punctual.benchmarks.timer;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * The heap that a million pending timeouts take, each timer's measured the same way: used heap
 * after a collection with them, less that with the timer alone. All share one task, so it does not
 * count.
 */
final class Footprint {
  private static final int COUNT = 1_000_000;
  private static final int COLLECTIONS = 3;

  private Footprint() {}

  /** Bytes for one timeout. */
  static double measure(Contender.Kind kind) throws InterruptedException {
    long[] delays = ScheduleBenchmark.delays();
    try (Contender contender = kind.start()) {
      Object task = contender.task(() -> {});
      contender.cancel(contender.schedule(task, TimeUnit.HOURS.toNanos(1)));
      long before = usedHeap();
      for (long delay : delays) {
        contender.schedule(task, delay);
      }
      long after = usedHeap();
      return (after - before) / (double) COUNT;
    }
  }

  private static long usedHeap() throws InterruptedException {
    for (int i = 0; i < COLLECTIONS; i++) {
      Thread.sleep(100);
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
