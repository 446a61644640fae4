package io.punctual.internal.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/**
 * Starts a daemon thread for each task, and rejects tasks above a limit. The threads have the
 * context class loader of the thread that created this object. Thread-safe.
 */
final class DaemonThreads implements Executor {
  private final String name;
  private final int limit;
  private final Semaphore free;
  private final ThreadFactory threads;

  DaemonThreads(String name, int limit) {
    this.name = name;
    this.limit = limit;
    this.free = new Semaphore(limit);
    this.threads = ClientThread.daemons(name);
  }

  @Override
  public void execute(Runnable task) {
    if (!free.tryAcquire()) {
      throw new RejectedExecutionException("All " + limit + " threads " + name + "N are busy");
    }
    boolean started = false;
    try {
      threads.newThread(() -> run(task)).start();
      started = true;
    } finally {
      if (!started) {
        free.release();
      }
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } finally {
      free.release();
    }
  }
}
