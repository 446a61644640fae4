package io.punctual.internal.runtime;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A timer that marks its thread for the {@link BlockingGuard} while tasks run, so that no task
 * makes a blocking call.
 */
public final class GuardedTimer implements DueTimer {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.timer");

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

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    return timer.schedule(delayNanos, () -> mark.accept(task));
  }
}
