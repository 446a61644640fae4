package io.punctual.internal.runtime;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A timer that a test advances. Not thread-safe. */
public final class StepTimer implements DueTimer {
  private record Task(long at, long order, Runnable task) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
  private long now;
  private long order;

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    Task scheduled = new Task(now + Math.max(0, delayNanos), order++, task);
    tasks.add(scheduled);
    return () -> tasks.remove(scheduled);
  }

  public void advanceMillis(long millis) {
    long until = now + millis * 1_000_000;
    while (!tasks.isEmpty() && tasks.peek().at() <= until) {
      Task next = tasks.remove();
      now = Math.max(now, next.at());
      next.task().run();
    }
    now = until;
  }
}
