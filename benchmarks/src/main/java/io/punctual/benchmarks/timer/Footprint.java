package io.punctual.benchmarks.timer;

import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The heap of pending timeouts: used heap after a garbage collection, minus the used heap of the
 * empty timer. All timeouts share one task, whose heap does not count.
 */
final class Footprint {
  private static final int COLLECTIONS = 3;
  private static final long MIN_DELAY = TimeUnit.MINUTES.toNanos(10);
  private static final long MAX_DELAY = TimeUnit.MINUTES.toNanos(60);

  private Footprint() {}

  /** Bytes for each timeout. */
  static double measure(TimerKind kind, int count) throws InterruptedException {
    Random random = new Random(1);
    try (Contender contender = kind.start()) {
      Object task = contender.task(() -> {});
      contender.cancel(contender.schedule(task, MAX_DELAY));
      long unused = usedHeap();
      long before = usedHeap();
      for (int i = 0; i < count; i++) {
        contender.schedule(task, random.nextLong(MIN_DELAY, MAX_DELAY));
      }
      return (usedHeap() - before) / (double) count;
    }
  }

  private static long usedHeap() throws InterruptedException {
    for (int i = 0; i < COLLECTIONS; i++) {
      Thread.sleep(300);
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
