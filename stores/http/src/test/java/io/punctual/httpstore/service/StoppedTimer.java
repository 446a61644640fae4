package io.punctual.httpstore.service;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.List;

/** A timer whose time passes only when a test says so. */
final class StoppedTimer implements DueTimer {
  private final List<Task> tasks = new ArrayList<>();
  private long now;

  /** Whether the timer takes no tasks, as if memory were short. */
  boolean fails;

  private record Task(long at, Runnable run) {}

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public synchronized Timeout schedule(long delayNanos, Runnable run) {
    if (fails) {
      throw new OutOfMemoryError("injected");
    }
    Task task = new Task(now + delayNanos, run);
    tasks.add(task);
    return () -> remove(task);
  }

  private synchronized boolean remove(Task task) {
    return tasks.remove(task);
  }

  /** Lets time pass, and runs what is due. */
  void pass(long nanos) {
    List<Task> due;
    synchronized (this) {
      now += nanos;
      due = tasks.stream().filter(task -> task.at() <= now).toList();
      tasks.removeAll(due);
    }
    due.forEach(task -> task.run().run());
  }
}
