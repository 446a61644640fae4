package io.punctual.jdbc.partition;

import io.punctual.internal.log.Logs;
import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs a limited number of tasks at a time, in the order of their submission, on the threads of an
 * executor. Safe for use by many threads.
 */
final class LimitedExecutor implements Executor {
  private static final Logger log = Logs.of(LimitedExecutor.class);

  private final Executor threads;
  private final Executor locked;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Runnable> waiting = new LinkedList<>();

  private int free;

  /**
   * Creates an instance.
   *
   * @param limit the number of tasks at a time
   * @param locked runs tasks again that threw a {@link LockedException}; no other task takes their
   *     place meanwhile
   */
  LimitedExecutor(Executor threads, int limit, Executor locked) {
    this.threads = threads;
    this.locked = locked;
    free = limit;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (waiting) {
      if (free == 0) {
        waiting.add(task);
        return;
      }
      free--;
    }
    boolean started = false;
    try {
      threads.execute(() -> runAndContinue(task));
      started = true;
    } finally {
      if (!started) {
        runHere(next());
      }
    }
  }

  private void runAndContinue(Runnable task) {
    boolean isLocked = false;
    try {
      task.run();
    } catch (LockedException e) {
      isLocked = true;
      passOn(locked, task);
    } finally {
      Runnable next = isLocked ? null : next();
      if (next != null) {
        passOn(threads, next);
      }
    }
  }

  /**
   * Submits a task to an executor, so that tasks of other partitions can run before it. Runs it on
   * this thread if the executor is shut down, or if there is no memory for a further thread: a task
   * that is lost would stop all later tasks.
   */
  private void passOn(Executor executor, Runnable task) {
    try {
      executor.execute(() -> runAndContinue(task));
    } catch (RejectedExecutionException | Error e) {
      runHere(task);
    }
  }

  /**
   * Runs a task and the waiting tasks on this thread. A task that was locked waits the next time. A
   * task that fails does not keep the others from running.
   */
  private void runHere(@Nullable Runnable task) {
    Runnable next = task;
    while (next != null) {
      boolean isLocked = false;
      try {
        next.run();
      } catch (LockedException e) {
        isLocked = true;
      } catch (RuntimeException | Error e) {
        log.warn("A task of the store failed", e);
      }
      next = isLocked ? next : next();
    }
  }

  /** Ends a task, and returns the next task. */
  private @Nullable Runnable next() {
    synchronized (waiting) {
      Runnable next = waiting.poll();
      free += next == null ? 1 : 0;
      return next;
    }
  }
}
