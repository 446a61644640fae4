package io.punctual.benchmarks.timer;

import io.punctual.benchmarks.Histograms;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The process for measurements of a timer that JMH cannot make: {@code TimerChild <measurement>
 * <timer> <number>}. Prints the result as a line.
 */
final class TimerChild {
  private static final int CORES_PERCENT = 100;
  private static final long FIRE_AHEAD = TimeUnit.SECONDS.toNanos(2);

  private TimerChild() {}

  public static void main(String[] args) throws Exception {
    TimerKind kind = TimerKind.valueOf(args[1]);
    int number = Integer.parseInt(args[2]);
    System.out.println(
        switch (args[0]) {
          case "memory" -> Footprint.measure(kind, number);
          case "idle" -> idle(kind, number);
          case "fire" -> fire(kind, number);
          case "lateness" -> lateness(kind, number);
          default -> throw new IllegalArgumentException(args[0]);
        });
    System.exit(0);
  }

  private static String lateness(TimerKind kind, int seconds) throws InterruptedException {
    Lateness.Result result =
        Lateness.measure(kind, Duration.ofSeconds(2), Duration.ofSeconds(seconds));
    return result.early() + " " + Histograms.encode(result.nanos());
  }

  /** The processor use in percent of a core, with a thousand timeouts pending in the far future. */
  private static double idle(TimerKind kind, int seconds) throws InterruptedException {
    try (Contender contender = kind.start()) {
      for (int i = 0; i < 1_000; i++) {
        contender.schedule(contender.task(() -> {}), TimeUnit.MINUTES.toNanos(10) + i);
      }
      Thread.sleep(1_000);
      long before = processNanos();
      Thread.sleep(seconds * 1_000L);
      double share = (processNanos() - before) / (seconds * 1e9);
      return CORES_PERCENT * share;
    }
  }

  /**
   * The rate of started tasks per second, for {@code count} tasks with the same due time; the best
   * of three rounds.
   */
  private static double fire(TimerKind kind, int count) throws InterruptedException {
    double best = 0;
    for (int round = 0; round < 3; round++) {
      best = Math.max(best, fireOnce(kind, count));
    }
    return best;
  }

  private static double fireOnce(TimerKind kind, int count) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(count);
    try (Contender contender = kind.start()) {
      Object task = contender.task(started::countDown);
      long due = System.nanoTime() + FIRE_AHEAD;
      for (int i = 0; i < count; i++) {
        contender.schedule(task, Math.max(0, due - System.nanoTime()));
      }
      started.await();
      return count / ((System.nanoTime() - due) / 1e9);
    }
  }

  private static long processNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
