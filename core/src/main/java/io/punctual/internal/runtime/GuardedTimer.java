package io.punctual.internal.runtime;

import io.punctual.internal.log.Logs;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * A timer that marks its thread for the {@link BlockingGuard} while tasks run, so that no task
 * makes a blocking call. A lack of memory ends no chain of tasks: {@link #schedule} tries again for
 * a second, and a task that ends with a {@link VirtualMachineError} runs again soon. So a task must
 * be able to run twice.
 */
public final class GuardedTimer implements DueTimer {
  private static final Logger log = Logs.of("io.punctual.timer");

  /** The pause before a further try to schedule a task, and the number of tries. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int TRIES = 50;

  /** The pause before a further run of a task, and the number of further runs. */
  private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int REPEATS = 20;

  private final DueTimer timer;
  private final Consumer<Runnable> mark;

  private GuardedTimer(DueTimer timer, Consumer<Runnable> mark) {
    this.timer = timer;
    this.mark = mark;
  }

  /** Returns a new timer, which logs the failures of its tasks. It has no guard yet. */
  public static WheelTimer newTimer() {
    return WheelTimer.builder().onFailure((task, failure) -> report(failure)).build();
  }

  private static void report(Throwable failure) {
    if (failure instanceof TimeoutException) {
      log.warn(
          "The timer is held up, so leases and due times are late; move blocking code out of"
              + " callbacks and event observers",
          failure);
    } else {
      log.error("A task of the timer failed; please report this", failure);
    }
  }

  /** Guards a timer that has its own thread. */
  public static DueTimer owned(DueTimer timer) {
    return new GuardedTimer(timer, BlockingGuard::owned);
  }

  /** Guards a timer that may run tasks on a user's thread, such as a timer that a test advances. */
  public static DueTimer shared(DueTimer timer) {
    return new GuardedTimer(timer, BlockingGuard::callbacks);
  }

  @Override
  public long nanoTime() {
    return timer.nanoTime();
  }

  /** Returns whether the timer's clock and the wall clock run at the same speed. */
  boolean keepsPaceWithWallClock() {
    return timer instanceof WheelTimer || timer instanceof InstantSource;
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    for (int tries = 1; ; tries++) {
      try {
        return timer.schedule(delayNanos, new Task(task));
      } catch (OutOfMemoryError e) {
        if (tries == TRIES) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private final class Task implements Runnable {
    private final Runnable task;
    private int repeats;

    Task(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      try {
        mark.accept(task);
      } catch (VirtualMachineError e) {
        if (repeats++ < REPEATS) {
          timer.schedule(REPEAT_NANOS, this);
        }
        throw e;
      }
    }

    @Override
    public String toString() {
      return task.toString();
    }
  }
}
