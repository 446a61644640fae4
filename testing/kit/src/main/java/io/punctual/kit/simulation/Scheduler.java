package io.punctual.kit.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Simulated time. Tasks run in the order of their times. While a task runs, the clock reads the
 * time of the task. The order of tasks with equal times is random. Not thread-safe.
 */
final class Scheduler {
  private static final int MOST_AT_ONCE = 100_000;
  private static final Comparator<Task> ORDER =
      Comparator.<Task>comparingLong(task -> task.atNanos).thenComparingLong(task -> task.lot);

  private final RandomGenerator random;
  private final PriorityQueue<Task> tasks = new PriorityQueue<>(ORDER);
  private long now;
  private int atOnce;

  Scheduler(RandomGenerator random) {
    this.random = random;
  }

  /** A scheduled task. Not thread-safe. */
  final class Task {
    private final @Nullable SimulatedProcess owner;
    private @Nullable Runnable work;
    private long atNanos;
    private long lot;

    private Task(@Nullable SimulatedProcess owner, Runnable work) {
      this.owner = owner;
      this.work = work;
    }

    private void add(long delayNanos) {
      long at = now + Math.max(0, delayNanos);
      atNanos = at < now ? Long.MAX_VALUE : at;
      lot = random.nextLong();
      tasks.add(this);
    }

    /** Cancels the task; returns whether this call prevented the run. */
    boolean cancel() {
      boolean prevents = work != null;
      work = null;
      return prevents;
    }

    private void run() {
      Runnable due = work;
      if (due == null || (owner != null && owner.isDead())) {
        return;
      }
      if (owner != null && owner.frozenNanos() > 0) {
        add(owner.frozenNanos());
      } else {
        work = null;
        due.run();
      }
    }
  }

  /** Returns the nanoseconds since the simulation began. */
  long nanoTime() {
    return now;
  }

  /** Runs work of the simulation itself after a delay. */
  Task schedule(long delayNanos, Runnable work) {
    return schedule(delayNanos, null, work);
  }

  /**
   * Runs work of a process after a delay: later if the process is frozen then, and never if it is
   * dead.
   */
  Task schedule(long delayNanos, @Nullable SimulatedProcess owner, Runnable work) {
    Task task = new Task(owner, work);
    task.add(delayNanos);
    return task;
  }

  /** Runs all tasks that are due within {@code nanos} from now. */
  void run(long nanos) {
    long end = now + nanos;
    for (Task task = tasks.peek(); task != null && task.atNanos <= end; task = tasks.peek()) {
      tasks.remove();
      atOnce = task.atNanos == now ? atOnce + 1 : 0;
      if (atOnce > MOST_AT_ONCE) {
        throw new IllegalStateException(
            "The simulated time does not advance; busy loop in " + task.work);
      }
      now = task.atNanos;
      task.run();
    }
    now = end;
  }
}
