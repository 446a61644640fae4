package io.punctual.benchmarks.timer;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The JDK's delay queue with a thread that takes from it. */
final class DelayQueueTimer implements Contender {
  private final DelayQueue<Element> queue = new DelayQueue<>();
  private final Thread taker;

  DelayQueueTimer(ThreadFactory threads) {
    taker = threads.newThread(this::take);
    taker.start();
  }

  private record Element(Runnable task, long due) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(due - ((Element) other).due);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public Object task(Runnable task) {
    return task;
  }

  @Override
  public Object schedule(Object task, long delayNanos) {
    Element element = new Element((Runnable) task, System.nanoTime() + delayNanos);
    queue.add(element);
    return element;
  }

  @Override
  public boolean cancel(Object timeout) {
    return queue.remove(timeout);
  }

  @Override
  public void close() {
    taker.interrupt();
  }

  private void take() {
    try {
      while (true) {
        queue.take().task().run();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }
}
