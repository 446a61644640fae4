package io.punctual.internal.runtime;

import io.punctual.timer.Timeout;
import io.punctual.timer.Timer;
import java.util.function.Consumer;

/** A timer that marks its thread while its tasks run, so that none of them blocks. */
public final class GuardedTimer implements Timer {
  private final Timer timer;
  private final Consumer<Runnable> mark;

  private GuardedTimer(Timer timer, Consumer<Runnable> mark) {
    this.timer = timer;
    this.mark = mark;
  }

  /** Guards a timer whose thread is its own. */
  public static Timer owned(Timer timer) {
    return new GuardedTimer(timer, BlockingGuard::owned);
  }

  /** Guards a timer whose thread may be a user's, such as a clock that a test moves by hand. */
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
