package io.punctual.benchmarks.timer;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The JDK's scheduled executor, which keeps its tasks in a heap behind a lock. */
record ExecutorTimer(ScheduledThreadPoolExecutor executor) implements Contender {
  @Override
  public Object task(Runnable task) {
    return task;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The method returns the future as an Object.
  public Object schedule(Object task, long delayNanos) {
    return executor.schedule((Runnable) task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean cancel(Object timeout) {
    return ((Future<?>) timeout).cancel(false);
  }

  @Override
  public void close() {
    List<Runnable> unused = executor.shutdownNow();
  }
}
