package io.punctual.benchmarks.locks;

import io.punctual.benchmarks.Histograms;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A process that acquires locks, increments counters and releases the locks: {@code LockChild
 * <product> <url> <threads> <millis to warm up> <millis> <one lock for all> <counters>}. It prints
 * {@code ready} after the warm-up. When it then reads a line, it runs the measurement and prints a
 * {@link Report}.
 */
final class LockChild {
  private final LockContender locks;
  private final Guarded guarded;
  private final int threads;
  private final boolean shared;

  private LockChild(LockContender locks, Guarded guarded, int threads, boolean shared) {
    this.locks = locks;
    this.guarded = guarded;
    this.threads = threads;
    this.shared = shared;
  }

  /**
   * The result of a run.
   *
   * @param pairs the number of acquisitions, each followed by a release
   * @param perSecond the number of pairs a second
   * @param all the number of acquisitions since the start of the process
   * @param waitNanos the waiting times of the acquisitions
   */
  record Report(long pairs, double perSecond, long all, Histogram waitNanos) {
    String word() {
      return String.format(
          Locale.ROOT, "%d %s %d %s", pairs, perSecond, all, Histograms.encode(waitNanos));
    }

    static Report of(String word) {
      String[] parts = word.split(" ", 4);
      return new Report(
          Long.parseLong(parts[0]),
          Double.parseDouble(parts[1]),
          Long.parseLong(parts[2]),
          Histograms.decode(parts[3]));
    }
  }

  public static void main(String[] args) throws Exception {
    long warmUpMillis = Long.parseLong(args[3]);
    long millis = Long.parseLong(args[4]);
    try (LockContender locks = LockProduct.valueOf(args[0]).open(args[1])) {
      Guarded guarded = Guarded.open(Path.of(args[6]));
      LockChild child =
          new LockChild(locks, guarded, Integer.parseInt(args[2]), Boolean.parseBoolean(args[5]));
      long warmUp = child.run(warmUpMillis).getTotalCount();
      System.out.println("ready");
      if (System.in.read() >= 0) {
        long start = System.nanoTime();
        Histogram waits = child.run(millis);
        long pairs = waits.getTotalCount();
        double perSecond = pairs / ((System.nanoTime() - start) / 1e9);
        System.out.println(new Report(pairs, perSecond, warmUp + pairs, waits).word());
      }
    }
    System.exit(0);
  }

  /**
   * Lets all threads acquire and release locks for this time; returns the waiting times of the
   * acquisitions in nanoseconds.
   */
  private Histogram run(long millis) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      List<Callable<Histogram>> loops = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int lock = shared ? 0 : i;
        loops.add(() -> loop(lock, end));
      }
      Histogram all = new Histogram(3);
      for (Future<Histogram> waits : executor.invokeAll(loops)) {
        all.add(waits.get());
      }
      return all;
    } finally {
      executor.shutdown();
    }
  }

  private Histogram loop(int lock, long end) throws InterruptedException {
    String name = "bench-" + lock;
    Histogram waits = new Histogram(3);
    for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
      LockContender.Held held = locks.acquire(name);
      waits.recordValue(System.nanoTime() - asked);
      guarded.increment(lock);
      held.release();
    }
    return waits;
  }
}
