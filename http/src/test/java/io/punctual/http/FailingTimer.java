package io.punctual.http;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A timer that keeps its tasks, and runs none. */
final class FailingTimer implements DueTimer {
  final List<Runnable> tasks = new CopyOnWriteArrayList<>();

  /** Whether the timer takes no tasks, as if memory were short. */
  volatile boolean fails;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    if (fails) {
      throw new OutOfMemoryError("injected");
    }
    tasks.add(task);
    return () -> tasks.remove(task);
  }
}
