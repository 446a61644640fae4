package io.punctual.benchmarks.timer;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The lateness of tasks that are scheduled at a steady rate with random delays: from the clock's
 * reading before the call, plus the delay, to the first instruction of the task.
 */
final class Lateness {
  static final int RATE = 10_000;

  private static final int BURST = 10;
  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1) * BURST / RATE;
  private static final long MIN_DELAY = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_DELAY = TimeUnit.MILLISECONDS.toNanos(1_000);

  /** The lateness of a run's tasks in nanoseconds, and the number of early tasks. */
  record Result(Histogram nanos, long early) {}

  private final Contender contender;
  private final Random random = new Random(1);
  private final Histogram histogram = new Histogram(3);
  private final Semaphore started = new Semaphore(0);
  private long early;

  private Lateness(Contender contender) {
    this.contender = contender;
  }

  /** Schedules {@link #RATE} tasks a second, for {@code warmUp} and then for {@code duration}. */
  static Result measure(TimerKind kind, Duration warmUp, Duration duration)
      throws InterruptedException {
    try (Contender contender = kind.start()) {
      Result unused = new Lateness(contender).run(warmUp);
      return new Lateness(contender).run(duration);
    }
  }

  private Result run(Duration duration) throws InterruptedException {
    long bursts = duration.toNanos() / BURST_NANOS;
    long start = System.nanoTime();
    for (long burst = 0; burst < bursts; burst++) {
      sleepUntil(start + burst * BURST_NANOS);
      for (int i = 0; i < BURST; i++) {
        schedule(random.nextLong(MIN_DELAY, MAX_DELAY));
      }
    }
    started.acquire(Math.toIntExact(bursts * BURST));
    return new Result(histogram, early);
  }

  private void schedule(long delay) {
    long due = System.nanoTime() + delay;
    contender.schedule(contender.task(() -> started(System.nanoTime() - due)), delay);
  }

  /** Records the lateness of a task. Called by the timer thread. */
  private void started(long lateness) {
    if (lateness < 0) {
      early++;
    }
    histogram.recordValue(Math.max(0, lateness));
    started.release();
  }

  private static void sleepUntil(long time) {
    long left;
    while ((left = time - System.nanoTime()) > 0) {
      LockSupport.parkNanos(left);
    }
  }
}
