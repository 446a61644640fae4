package io.punctual.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Platform threads that run handlers, in the order in which these come, and end after an idle time.
 *
 * <p>To wake a thread costs several times what a short handler does. So only one is on its way at a
 * time, and before it begins to run it gets the next one on its way, if there is still something
 * waiting then. Handlers that take long have a thread each soon, one after the other; those that
 * end at once share a few. Go's scheduler and {@code ForkJoinPool} wake their threads like that.
 *
 * <p>Thread-safe.
 */
final class HandlerPool implements HandlerThreads {
  private static final Logger log = LoggerFactory.getLogger(HandlerPool.class);

  private final ThreadFactory factory;
  private final int most;
  private final Duration idleTime;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** Who became idle last is the first to be woken, so that those who are not needed end. */
  private final Deque<Runner> idle = new ArrayDeque<>();

  private int runners;

  /** Whether a thread has been started or woken, and has not looked for work yet. */
  private boolean isWaking;

  private boolean closed;

  /** A pool of up to {@code most} threads, which end when they were idle for {@code idleTime}. */
  HandlerPool(ThreadFactory factory, int most, Duration idleTime) {
    this.factory = factory;
    this.most = most;
    this.idleTime = idleTime;
  }

  @Override
  public void execute(Runnable handler) {
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException("The worker has been closed");
      }
      waiting.add(handler);
    } finally {
      lock.unlock();
    }
    try {
      wakeNext();
    } catch (Throwable e) {
      if (withdraw(handler)) {
        throw e;
      }
    }
  }

  /** Takes back what no thread could be made for, unless another one has taken it. */
  private boolean withdraw(Runnable handler) {
    lock.lock();
    try {
      return waiting.remove(handler);
    } finally {
      lock.unlock();
    }
  }

  /** Runs what is waiting, and then lets the threads end. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      idle.forEach(Runner::wake);
    } finally {
      lock.unlock();
    }
  }

  private void wakeNext() {
    Runner runner;
    lock.lock();
    try {
      if (isWaking || waiting.isEmpty() || (idle.isEmpty() && runners == most)) {
        return;
      }
      isWaking = true;
      runner = idle.poll();
      if (runner != null) {
        runner.isIdle = false;
      } else {
        runners++;
      }
    } finally {
      lock.unlock();
    }
    if (runner != null) {
      runner.wake();
    } else {
      start();
    }
  }

  private void start() {
    boolean started = false;
    try {
      new Runner().thread.start();
      started = true;
    } finally {
      if (!started) {
        notStarted();
      }
    }
  }

  private void notStarted() {
    lock.lock();
    try {
      runners--;
      isWaking = false;
    } finally {
      lock.unlock();
    }
  }

  private final class Runner implements Runnable {
    private final Thread thread = factory.newThread(this);

    /** Written with the lock held. */
    private volatile boolean isIdle;

    @Override
    public void run() {
      do {
        for (Runnable next = next(true); next != null; next = next(false)) {
          helpNext();
          run(next);
        }
      } while (isWokenInTime());
    }

    /** What to run, or null: then this one is idle, until somebody wakes it. */
    private @Nullable Runnable next(boolean hasWoken) {
      lock.lock();
      try {
        isWaking &= !hasWoken;
        Runnable next = waiting.poll();
        if (next == null) {
          isIdle = true;
          idle.push(this);
        }
        return next;
      } finally {
        lock.unlock();
      }
    }

    private void helpNext() {
      try {
        wakeNext();
      } catch (Throwable e) {
        log.warn("No thread can be made for a handler, which waits until another one ends", e);
      }
    }

    private void run(Runnable handler) {
      try {
        handler.run();
      } catch (Throwable e) {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      } finally {
        boolean unused = Thread.interrupted();
      }
    }

    private void wake() {
      LockSupport.unpark(thread);
    }

    private boolean isWokenInTime() {
      long end = System.nanoTime() + idleTime.toNanos();
      while (isIdle) {
        long left = end - System.nanoTime();
        if ((left <= 0 || isClosed()) && hasLeft()) {
          return false;
        }
        LockSupport.parkNanos(HandlerPool.this, left);
        boolean unused = Thread.interrupted();
      }
      return true;
    }

    /** Leaves for good, unless somebody has woken it at this moment. */
    private boolean hasLeft() {
      lock.lock();
      try {
        runners -= isIdle ? 1 : 0;
        return isIdle && idle.remove(this);
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }
}
