package io.punctual.timer;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a {@link WheelTimer}'s thread: it collects expired timeouts, passes their tasks to
 * the executor, and sleeps until the next timeout. A single thread runs the loop; {@link #close()}
 * and {@link #wakeUps()} are safe for any thread.
 */
final class TimerLoop implements Runnable {
  private static final int BATCH = 256;

  /** The pause after an error of the timer's own work, so that a lasting error is no busy loop. */
  private static final long PAUSE_NANOS = 5_000_000;

  private final ExpiredBatch batch = new ExpiredBatch(BATCH);
  private final Consumer<Runnable> start = this::start;
  private final Runnable ownWork = new OwnWork();
  private final SharedWheel wheel;
  private final Ticks ticks;
  private final Executor executor;
  private final FailureReporter failures;
  private final StallWatch watch;

  private volatile @Nullable Thread thread;
  private volatile boolean closed;
  private volatile long wakeUps;

  /**
   * Stands for the timer's own work in a failure report. A handler may run the task of a report
   * again, for example after a rejection, so this task does nothing.
   */
  private static final class OwnWork implements Runnable {
    @Override
    public void run() {}

    @Override
    public String toString() {
      return "the timer's own work";
    }
  }

  TimerLoop(Ticks ticks, Executor executor, FailureReporter failures, StallWatch watch) {
    wheel = new SharedWheel(0, this::wake);
    this.ticks = ticks;
    this.executor = executor;
    this.failures = failures;
    this.watch = watch;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!closed) {
      try {
        turn();
      } catch (Throwable error) {
        failures.report(Thread.currentThread(), ownWork, error);
        Thread.interrupted(); // with the interrupt status set, park would return at once
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Stops starting tasks; returns the tasks that were not started. */
  List<Runnable> close() {
    closed = true;
    try {
      return wheel.takeAll(batch);
    } finally {
      wake();
    }
  }

  SharedWheel wheel() {
    return wheel;
  }

  boolean isAsleep() {
    Thread sleeper = thread;
    return sleeper != null && LockSupport.getBlocker(sleeper) == this;
  }

  /** The number of times that the thread returned from a sleep. */
  long wakeUps() {
    return wakeUps;
  }

  private void wake() {
    LockSupport.unpark(thread);
  }

  /** Runs a turn. After an error, another turn continues where the error struck. */
  private void turn() {
    long elapsed = ticks.elapsed();
    if (batch.isEmpty()) {
      wheel.collect(ticks.at(elapsed), batch);
    }
    if (closed) {
      return; // schedule() rejects timeouts that arrive after close() has taken all tasks
    }
    if (!batch.isEmpty()) {
      watch.begin(elapsed);
      try {
        batch.runAll(start);
      } finally {
        watch.end(ticks.elapsed());
      }
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
   * Sleeps until {@code tick} or a wake-up. Clears the interrupt status first, because a task may
   * have left it set and {@code park} would then return at once. Only {@link #close()} ends the
   * thread.
   *
   * <p>A wait for the wheel's lock parks the thread too, and so may have consumed the wake-up of
   * {@code close()}. Therefore this method checks {@code closed} again. All other wake-ups announce
   * changes that {@link SharedWheel#collect} has read inside the lock.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the timer thread writes the field.
  private void sleepUntil(long tick) {
    Thread.interrupted();
    long nanos = tick == Long.MAX_VALUE ? Long.MAX_VALUE : ticks.nanosUntil(tick);
    if (nanos <= 0 || closed) {
      return;
    }
    if (nanos == Long.MAX_VALUE) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, nanos);
    }
    wakeUps++;
  }
}
