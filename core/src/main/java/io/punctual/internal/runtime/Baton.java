package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread at a time execute an action on a state that a lock guards. If a thread finds the
 * baton taken, it sets a flag, and the thread that has the baton repeats the action. So a reply
 * that arrives while its call is being sent causes a loop and no recursion. Thread-safe.
 */
public final class Baton {
  private final ReentrantLock lock;
  private final Runnable action;

  @GuardedBy("lock") private boolean taken;

  /** Whether the state has changed since the last start of the action. */
  @GuardedBy("lock") private boolean changed;

  /**
   * Creates a baton.
   *
   * @param action acts on the state. It runs with the lock, and uses {@link #unlocked} for steps
   *     without the lock
   */
  public Baton(ReentrantLock lock, Runnable action) {
    this.lock = lock;
    this.action = action;
  }

  /** Executes the action now, or lets the thread that has the baton repeat it. */
  public void run() {
    lock.lock();
    try {
      changed = true;
      if (taken) {
        return;
      }
      taken = true;
      Throwable failure = null;
      while (changed) {
        changed = false;
        try {
          action.run();
        } catch (Throwable e) {
          // Another thread may have changed the state since, and relies on this thread.
          failure = e;
        }
      }
      taken = false;
      if (failure != null) {
        throw Errors.sneak(failure);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs a step of the action without the lock, such as a call of the store or of user code. */
  public void unlocked(Runnable step) {
    lock.unlock();
    try {
      step.run();
    } finally {
      lock.lock();
    }
  }
}
