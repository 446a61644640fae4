package io.punctual.internal.runtime;

import io.punctual.timer.Timeout;
import io.punctual.timer.Timer;
import java.util.function.Consumer;

/** A timer that marks its thread while tasks run, so that no task makes a blocking call. */
public final class GuardedTimer implements Timer {
  private final Timer timer;
  private final Consumer<Runnable> mark;

  private GuardedTimer(Timer timer, Consumer<Runnable> mark) {
    this.timer = timer;
    this.mark = mark;
  }

  /** Guards a timer that has its own thread. */
  public static Timer owned(Timer timer) {
    return new GuardedTimer(timer, BlockingGuard::owned);
  }

  /** Guards a timer that may run tasks on a user's thread, such as a clock that a test advances. */
  public static Timer shared(Timer timer) {
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
