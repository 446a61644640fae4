package io.punctual.internal.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts a daemon thread for each task, and rejects tasks above a limit. The threads have the
 * context class loader of the thread that created this object. Thread-safe.
 */
final class DaemonThreads implements Executor {
  private final String name;
  private final int limit;
  private final Semaphore free;
  private final AtomicInteger count = new AtomicInteger();
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  DaemonThreads(String name, int limit) {
    this.name = name;
    this.limit = limit;
    this.free = new Semaphore(limit);
  }

  @Override
  public void execute(Runnable task) {
    if (!free.tryAcquire()) {
      throw new RejectedExecutionException("All " + limit + " threads " + name + "N are busy");
    }
    boolean started = false;
    try {
      thread(task).start();
      started = true;
    } finally {
      if (!started) {
        free.release();
      }
    }
  }

  private Thread thread(Runnable task) {
    Runnable whole =
        () -> {
          try {
            task.run();
          } finally {
            free.release();
          }
        };
    Thread thread = new Thread(null, whole, name + count.incrementAndGet(), 0, false);
    thread.setContextClassLoader(loader);
    thread.setDaemon(true);
    return thread;
  }
}
