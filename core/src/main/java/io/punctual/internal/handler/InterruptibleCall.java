package io.punctual.internal.handler;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that runs a call of user code. Other threads interrupt the call through this object,
 * so that no interrupt reaches the thread after the call has returned. Thread-safe.
 */
final class InterruptibleCall {
  private final ReentrantLock lock = new ReentrantLock();

  /** The thread of the call; null while no call runs. */
  @GuardedBy("lock") private @Nullable Thread thread;

  @GuardedBy("lock") private boolean interrupted;

  /** Notes that this thread calls user code. */
  void enter() {
    lock.lock();
    try {
      thread = Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that the call has returned: from now on, this object does not interrupt this thread. If
   * it interrupted the call, clears the interrupt flag.
   *
   * @return whether this object interrupted the call
   */
  boolean leave() {
    lock.lock();
    try {
      thread = null;
      boolean wasInterrupted = interrupted;
      if (interrupted) {
        interrupted = false;
        boolean unused = Thread.interrupted();
      }
      return wasInterrupted;
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the call, if one runs. */
  void interrupt() {
    lock.lock();
    try {
      if (thread != null) {
        interrupted = true;
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the thread of the call; null if no call runs. */
  @Nullable Thread thread() {
    lock.lock();
    try {
      return thread;
    } finally {
      lock.unlock();
    }
  }

  boolean isOnThisThread() {
    return thread() == Thread.currentThread();
  }
}
