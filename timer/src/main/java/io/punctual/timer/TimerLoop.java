package io.punctual.timer;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * What a {@link WheelTimer}'s thread does: collects what is due, hands it to the executor, and
 * sleeps until there is more. Run by one thread; {@link #close()} and {@link #wakeUps()} are for
 * any.
 */
final class TimerLoop implements Runnable {
  private static final int BATCH = 256;

  private final Batch batch = new Batch(BATCH);
  private final SharedWheel wheel;
  private final Ticks ticks;
  private final Executor executor;
  private final Failures failures;
  private final StallWatch watch;

  private volatile boolean closed;
  private volatile long wakeUps;

  TimerLoop(
      SharedWheel wheel, Ticks ticks, Executor executor, Failures failures, StallWatch watch) {
    this.wheel = wheel;
    this.ticks = ticks;
    this.executor = executor;
    this.failures = failures;
    this.watch = watch;
  }

  @Override
  public void run() {
    try {
      while (!closed) {
        turn();
      }
    } finally {
      closed = true;
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Starts no more tasks; returns those that it had not started. */
  List<Runnable> close() {
    closed = true;
    return wheel.takeAll(batch);
  }

  /** How many times the thread came back from sleep. */
  long wakeUps() {
    return wakeUps;
  }

  private void turn() {
    long elapsed = ticks.elapsed();
    wheel.collect(ticks.at(elapsed), batch);
    if (!batch.isEmpty()) {
      watch.begin(elapsed);
      batch.runAll(this::start);
      watch.end(ticks.elapsed());
    } else if (batch.nextAt() != SharedWheel.AWAKE) {
      sleepUntil(batch.nextAt());
    }
  }

  private void start(Runnable task) {
    watch.next(task);
    try {
      executor.execute(task);
    } catch (Throwable failure) {
      failures.report(Thread.currentThread(), task, failure);
    }
  }

  /**
   * Sleeps until {@code tick} or until it is woken. A task may have left the thread interrupted,
   * which would keep it from ever sleeping again; the thread is ended by {@link #close()} alone.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
  private void sleepUntil(long tick) {
    Thread.interrupted();
    if (tick == Long.MAX_VALUE) {
      LockSupport.park(wheel);
    } else {
      long nanos = ticks.nanosUntil(tick);
      if (nanos <= 0) {
        return;
      }
      LockSupport.parkNanos(wheel, nanos);
    }
    wakeUps++;
  }
}
