package io.punctual.internal.handler;

import io.punctual.internal.log.Logs;
import java.time.Duration;
import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Platform threads that run handlers in the order of submission, and end after an idle time.
 *
 * <p>Waking a thread costs several times as much as a short handler. So at most one thread starts
 * or wakes up at any time. When this thread takes a handler and further handlers wait, it wakes the
 * next thread. Long handlers soon have a thread each; short handlers share a few threads. Go's
 * scheduler and {@code ForkJoinPool} wake their threads in the same way.
 *
 * <p>Thread-safe.
 */
final class HandlerPool implements HandlerThreads {
  private static final Logger log = Logs.of(HandlerPool.class);

  private static final long AFTER_ERROR_NANOS = 5_000_000;

  private final ThreadFactory factory;
  private final Duration idleTime;

  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Runnable> waiting = new LinkedList<>();

  /**
   * The idle threads. The thread that became idle last is woken first, so that surplus threads stay
   * idle until they end.
   */
  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<PoolThread> idle = new LinkedList<>();

  private int most;

  private int runners;

  /** Whether a thread was started or woken, and has not looked for a handler yet. */
  private boolean isThreadComing;

  private boolean closed;

  /**
   * Whether a failure to start a thread was logged, so that only the first of several is logged.
   */
  private boolean hasFailed;

  /**
   * Creates a pool of up to {@code most} threads, which end after {@code idleTime} without a
   * handler.
   */
  HandlerPool(ThreadFactory factory, int most, Duration idleTime) {
    this.factory = factory;
    this.most = most;
    this.idleTime = idleTime;
  }

  /**
   * Accepts a handler. If a thread can't be created or started, this method throws the exception,
   * and the handler does not run.
   */
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

  @Override
  public void limit(IntSupplier threads) {
    lock.lock();
    try {
      most = threads.getAsInt();
      wakeNextIfPossible();
    } finally {
      lock.unlock();
    }
  }

  /** Accepts no more handlers; the threads run the waiting handlers, and then end. */
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

  /** Starts or wakes a thread if handlers wait. The caller must hold the lock. */
  private void wakeNext() {
    if (isThreadComing || waiting.isEmpty()) {
      return;
    }
    PoolThread runner = idle.poll();
    if (runner != null) {
      runner.comes();
      runner.woken.signal();
    } else if (runners < most) {
      runner = new PoolThread();
      factory.newThread(runner).start();
      runners++;
      runner.comes();
    }
  }

  /**
   * Starts or wakes a thread like {@link #wakeNext}, but logs a failure to start a thread instead
   * of throwing it.
   */
  private void wakeNextIfPossible() {
    try {
      wakeNext();
      hasFailed = false;
    } catch (Throwable e) {
      if (!hasFailed) {
        hasFailed = true;
        warn(
            "A thread for a handler can't be started; the handler waits until another handler ends",
            e);
      }
    }
  }

  @SuppressWarnings("EmptyCatch")
  private static void warn(String text, Throwable failure) {
    try {
      log.warn(text, failure);
    } catch (Throwable ignored) {
      // The thread must go on, and may have taken a handler already.
    }
  }

  private final class PoolThread implements Runnable {
    private final Condition woken = lock.newCondition();

    /**
     * Whether this thread was started or woken, and has not looked for a handler yet. Guarded by
     * the lock.
     */
    private boolean isComing;

    @Override
    public void run() {
      Thread thread = Thread.currentThread();
      ClassLoader loader = thread.getContextClassLoader();
      String name = thread.getName();
      for (Runnable next = nextAfterErrors(); next != null; next = nextAfterErrors()) {
        run(next);
        clean(thread, loader, name);
      }
    }

    /** Removes what a handler has left on the thread, so that the next handler does not have it. */
    @SuppressWarnings("EmptyCatch")
    private void clean(Thread thread, ClassLoader loader, String name) {
      try {
        thread.setContextClassLoader(loader);
        if (!thread.getName().equals(name)) {
          thread.setName(name);
        }
      } catch (Throwable noMemory) {
        // The name stays for the next handler.
      }
    }

    /** Waits for a handler like {@link #next}. A lack of memory does not end the thread. */
    private @Nullable Runnable nextAfterErrors() {
      while (true) {
        try {
          return next();
        } catch (Throwable e) {
          leaveIdle();
          LockSupport.parkNanos(AFTER_ERROR_NANOS);
        }
      }
    }

    private void leaveIdle() {
      lock.lock();
      try {
        idle.remove(this);
      } finally {
        lock.unlock();
      }
    }

    private void comes() {
      isComing = true;
      isThreadComing = true;
    }

    /**
     * Waits for a handler; returns null if none arrives within the idle time, or the pool closes.
     */
    private @Nullable Runnable next() {
      lock.lock();
      try {
        do {
          isThreadComing &= !isComing;
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
          log.debug("An interrupt arrived after its handler had ended");
        }
      }
      return true;
    }

    private void run(Runnable handler) {
      boolean unused = Thread.interrupted();
      try {
        handler.run();
      } catch (Throwable e) {
        report(Thread.currentThread(), e);
      }
    }

    private void report(Thread thread, Throwable failure) {
      try {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
      } catch (Throwable e) {
        warn("The UncaughtExceptionHandler of a handler's thread threw", e);
      }
    }
  }
}
