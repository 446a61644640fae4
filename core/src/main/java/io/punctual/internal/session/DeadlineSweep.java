package io.punctual.internal.session;

import io.punctual.internal.runtime.Environment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The timer of a session that ends its overdue operations. The session's lock guards all methods.
 */
final class DeadlineSweep {
  private final Environment env;
  private final ReentrantLock lock;
  private final Notices notices;
  private final Runnable sweep;
  private boolean isScheduled;

  DeadlineSweep(Environment env, ReentrantLock lock, Notices notices, Runnable sweep) {
    this.env = env;
    this.lock = lock;
    this.notices = notices;
    this.sweep = sweep;
  }

  /** Schedules the sweep of the first deadline, unless a sweep is scheduled already. */
  void schedule(SessionState state) {
    OperationQueue waiting = state.window().operations();
    boolean hasDeadlines =
        !(waiting.isEmpty() && state.calls().isEmpty() && state.unconfirmed().isEmpty());
    if (!isScheduled && hasDeadlines) {
      long now = env.nanoTime();
      long first = waiting.firstDeadline(now + env.operationTimeoutNanos());
      first = state.calls().firstDeadline(state.unconfirmed().firstDeadline(first));
      long nanos = Math.max(0, first - now);
      notices.add(() -> after(nanos));
      isScheduled = true;
    }
  }

  private void after(long nanos) {
    try {
      env.timer().schedule(nanos, sweep);
    } catch (Throwable e) {
      lock.lock();
      try {
        isScheduled = false;
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  /** Notes that the sweep runs now. */
  void begun() {
    isScheduled = false;
  }
}
