package io.punctual.timer;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

  private volatile @Nullable Thread thread;
  private volatile boolean closed;
  private volatile long wakeUps;

  TimerLoop(Ticks ticks, Executor executor, Failures failures, StallWatch watch) {
    wheel = new SharedWheel(0, this::wake);
    this.ticks = ticks;
    this.executor = executor;
    this.failures = failures;
    this.watch = watch;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
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
    List<Runnable> tasks = wheel.takeAll(batch);
    wake();
    return tasks;
  }

  SharedWheel wheel() {
    return wheel;
  }

  boolean isAsleep() {
    Thread sleeper = thread;
    return sleeper != null && LockSupport.getBlocker(sleeper) == this;
  }

  /** How many times the thread came back from sleep. */
  long wakeUps() {
    return wakeUps;
  }

  private void wake() {
    LockSupport.unpark(thread);
  }

  private void turn() {
    long elapsed = ticks.elapsed();
    wheel.collect(ticks.at(elapsed), batch);
    if (closed) {
      return; // what came after close() took all is for its scheduler to reject
    }
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
   *
   * <p>Waiting for the wheel's lock may have used up the wake-up of {@code close()}, so that is
   * looked for once more; all other reasons to be woken have been seen inside the lock.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
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
