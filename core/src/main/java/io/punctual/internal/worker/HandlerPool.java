package io.punctual.internal.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Platform threads that run handlers, in the order in which these come, and end after an idle time.
 *
 * <p>To wake a thread costs several times what a short handler does. So only one is on its way at a
 * time, and when it takes a handler it gets the next one on its way, if there is still something
 * waiting. Handlers that take long have a thread each soon, one after the other; those that end at
 * once share a few. Go's scheduler and {@code ForkJoinPool} wake their threads like that.
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

  /** Whether one has been started or woken, and has not looked for work yet. */
  private boolean isOneComing;

  private boolean closed;

  /** So that a machine that has no threads left is told once. */
  private boolean hasFailed;

  /** A pool of up to {@code most} threads, which end when they were idle for {@code idleTime}. */
  HandlerPool(ThreadFactory factory, int most, Duration idleTime) {
    this.factory = factory;
    this.most = most;
    this.idleTime = idleTime;
  }

  /** Throws what the factory or the start of a thread threw; then the handler will not run. */
  @Override
  public void execute(Runnable handler) {
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException("The worker has been closed");
      }
      waiting.add(handler);
      boolean done = false;
      try {
        wakeNext();
        done = true;
      } finally {
        if (!done) {
          waiting.removeLast();
        }
      }
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
      idle.forEach(runner -> runner.woken.signal());
    } finally {
      lock.unlock();
    }
  }

  /** The lock is held. */
  private void wakeNext() {
    if (isOneComing || waiting.isEmpty()) {
      return;
    }
    Runner runner = idle.poll();
    if (runner != null) {
      runner.comes();
      runner.woken.signal();
    } else if (runners < most) {
      runner = new Runner();
      factory.newThread(runner).start();
      runners++;
      runner.comes();
    }
  }

  private final class Runner implements Runnable {
    private final Condition woken = lock.newCondition();

    /** Guarded by the lock. */
    private boolean isComing;

    @Override
    public void run() {
      for (Runnable next = next(); next != null; next = next()) {
        run(next);
      }
    }

    private void comes() {
      isComing = true;
      isOneComing = true;
    }

    /** Waits for something to run; returns null if nothing has come for too long. */
    private @Nullable Runnable next() {
      lock.lock();
      try {
        do {
          isOneComing &= !isComing;
          isComing = false;
          Runnable next = waiting.poll();
          if (next != null) {
            wakeNextIfPossible();
            return next;
          }
        } while (isWokenInTime());
        return null;
      } finally {
        lock.unlock();
      }
    }

    private void wakeNextIfPossible() {
      try {
        wakeNext();
        hasFailed = false;
      } catch (Throwable e) {
        if (!hasFailed) {
          hasFailed = true;
          log.warn("No thread can be made for a handler, which waits until another one ends", e);
        }
      }
    }

    private boolean isWokenInTime() {
      idle.push(this);
      long end = System.nanoTime() + idleTime.toNanos();
      while (!isComing) {
        long left = end - System.nanoTime();
        if (left <= 0 || closed) {
          idle.remove(this);
          runners--;
          return false;
        }
        try {
          long unused = woken.awaitNanos(left);
        } catch (InterruptedException e) {
          log.debug("An interrupt came when its handler had ended");
        }
      }
      return true;
    }

    private void run(Runnable handler) {
      boolean unused = Thread.interrupted();
      try {
        handler.run();
      } catch (Throwable e) {
        tell(Thread.currentThread(), e);
      }
    }

    private void tell(Thread thread, Throwable failure) {
      try {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
      } catch (Throwable e) {
        log.warn("What deals with uncaught exceptions failed with one", e);
      }
    }
  }
}
