package io.punctual.benchmarks.timer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Agrona's wheel, which a single thread drives and which holds only numbers. The adapter adds a
 * lock, a map and a thread that polls at every tick; users must add the same.
 */
final class AgronaTimer implements Contender {
  private static final long TICK_NANOS = 1 << 20;
  private static final int TICKS = 1024;
  private static final int LIMIT = 4096;

  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, TICKS);
  private final Long2ObjectHashMap<Runnable> tasks = new Long2ObjectHashMap<>();
  private final List<Runnable> expired = new ArrayList<>();
  private volatile boolean closed;

  AgronaTimer(ThreadFactory threads) {
    threads.newThread(this::poll).start();
  }

  @Override
  public Object task(Runnable task) {
    return task;
  }

  @Override
  public synchronized Object schedule(Object task, long delayNanos) {
    long timer = wheel.scheduleTimer(System.nanoTime() + delayNanos);
    tasks.put(timer, (Runnable) task);
    return timer;
  }

  @Override
  public synchronized boolean cancel(Object timeout) {
    tasks.remove((long) timeout);
    return wheel.cancelTimer((long) timeout);
  }

  @Override
  public void close() {
    closed = true;
  }

  private void poll() {
    while (!closed) {
      expire();
      if (expired.isEmpty()) {
        LockSupport.parkNanos(this, TICK_NANOS);
      }
      expired.forEach(Runnable::run);
      expired.clear();
    }
  }

  private synchronized void expire() {
    long now = System.nanoTime();
    int found;
    do {
      found = wheel.poll(now, this::expire, LIMIT);
    } while (found == LIMIT || wheel.currentTickTime() + TICK_NANOS <= now);
  }

  private boolean expire(TimeUnit unit, long now, long timer) {
    Runnable task = tasks.remove(timer);
    if (task != null) {
      expired.add(task);
    }
    return true;
  }
}
