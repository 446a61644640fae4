package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread at a time act on a state that a lock guards. A thread that finds the baton taken
 * leaves a note, and the thread with the baton acts again. So a reply that comes while its call is
 * being sent causes a loop and no recursion. Thread-safe.
 */
final class Baton {
  private final ReentrantLock lock;
  private final Runnable action;

  @GuardedBy("lock") private boolean taken;

  /** The state has changed since the last action began. */
  @GuardedBy("lock") private boolean changed;

  /**
   * Creates a baton.
   *
   * @param action acts on the state; called with the lock, which it gives up by {@link #unlocked}
   */
  Baton(ReentrantLock lock, Runnable action) {
    this.lock = lock;
    this.action = action;
  }

  /** Acts on the state now, or lets the thread with the baton do so. */
  void run() {
    lock.lock();
    try {
      changed = true;
      if (taken) {
        return;
      }
      taken = true;
      try {
        while (changed) {
          changed = false;
          action.run();
        }
      } finally {
        taken = false;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs a step of the action without the lock, such as a call of the store or of user code. */
  void unlocked(Runnable step) {
    lock.unlock();
    try {
      step.run();
    } finally {
      lock.lock();
    }
  }
}
