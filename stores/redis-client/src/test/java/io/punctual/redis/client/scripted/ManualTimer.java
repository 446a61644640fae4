package io.punctual.redis.client.scripted;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/** A timer whose time passes only in {@link #advance}, which runs the due tasks. Thread-safe. */
public final class ManualTimer implements DueTimer {
  private final List<Task> tasks = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 1000; // The readings of the clock wrap.
  private long skippedNanos = -1;
  private boolean closed;
  private int failures;

  /** A task. Not a record, because two tasks may have the same parts. */
  private static final class Task {
    private final long delayNanos;
    private final long dueNanos;
    private final Runnable action;

    Task(long delayNanos, long dueNanos, Runnable action) {
      this.delayNanos = delayNanos;
      this.dueNanos = dueNanos;
      this.action = action;
    }
  }

  @Override
  public synchronized long nanoTime() {
    return nowNanos;
  }

  /** Runs tasks with at most this delay as soon as they are scheduled, on the same thread. */
  public synchronized ManualTimer skip(Duration longest) {
    skippedNanos = longest.toNanos();
    return this;
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable action) {
    synchronized (this) {
      if (closed) {
        throw new RejectedExecutionException("closed");
      }
      if (failures > 0) {
        failures--;
        throw new InternalError("of the test");
      }
      if (delayNanos > skippedNanos) {
        Task task = new Task(delayNanos, nowNanos + Math.max(0, delayNanos), action);
        tasks.add(task);
        return () -> cancel(task);
      }
    }
    action.run();
    return () -> false;
  }

  private synchronized boolean cancel(Task task) {
    return tasks.remove(task);
  }

  /** Lets this time pass, and runs the tasks that become due, also tasks that other tasks add. */
  public void advance(Duration time) {
    long end = nanoTime() + time.toNanos();
    for (Task next = next(end); next != null; next = next(end)) {
      next.action.run();
    }
    synchronized (this) {
      nowNanos = end;
    }
  }

  private synchronized Task next(long endNanos) {
    Task first =
        tasks.stream()
            .filter(task -> task.dueNanos - endNanos <= 0)
            .min(Comparator.comparingLong(task -> task.dueNanos - endNanos))
            .orElse(null);
    if (first != null) {
      tasks.remove(first);
      nowNanos = first.dueNanos;
    }
    return first;
  }

  /** Returns the delays of the tasks that have yet to run, in the order of their scheduling. */
  public synchronized List<Duration> delays() {
    return tasks.stream().map(task -> Duration.ofNanos(task.delayNanos)).toList();
  }

  /** Throws an error at so many of the next tasks, as a timer does when memory is short. */
  public synchronized void fail(int next) {
    failures = next;
  }

  /** Refuses further tasks. */
  public synchronized void close() {
    closed = true;
    tasks.clear();
  }
}
