package io.punctual.jdbc.partition;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after another, in the order of their submission, on the threads of an executor.
 * Safe for use by many threads.
 */
final class SerialExecutor implements Executor {
  private final Executor threads;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (waiting) {
      if (running) {
        waiting.add(task);
        return;
      }
      running = true;
    }
    boolean started = false;
    try {
      threads.execute(() -> runAndContinue(task));
      started = true;
    } finally {
      if (!started) {
        runWaiting();
      }
    }
  }

  private void runAndContinue(Runnable task) {
    try {
      task.run();
    } finally {
      Runnable next = next();
      if (next != null) {
        passOn(next);
      }
    }
  }

  /**
   * Submits the next task to the executor, so that tasks of other partitions can run before it.
   * Runs it on this thread if the executor is shut down.
   */
  private void passOn(Runnable next) {
    try {
      threads.execute(() -> runAndContinue(next));
    } catch (RejectedExecutionException e) {
      next.run();
      runWaiting();
    }
  }

  private void runWaiting() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private @Nullable Runnable next() {
    synchronized (waiting) {
      Runnable next = waiting.poll();
      running = next != null;
      return next;
    }
  }
}
