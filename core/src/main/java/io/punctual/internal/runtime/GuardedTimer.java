package io.punctual.internal.runtime;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.function.Consumer;

/**
 * A timer that marks its thread for the {@link BlockingGuard} while tasks run, so that no task
 * makes a blocking call.
 */
public final class GuardedTimer implements DueTimer {
  private final DueTimer timer;
  private final Consumer<Runnable> mark;

  private GuardedTimer(DueTimer timer, Consumer<Runnable> mark) {
    this.timer = timer;
    this.mark = mark;
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
