package io.punctual.internal.session;

import io.punctual.internal.runtime.Environment;
import org.jspecify.annotations.Nullable;

/**
 * The timer of a session that ends its overdue operations. While the session has no operations, the
 * timer's task does not hold the session, so that an unused session takes no memory until then. The
 * session's lock guards all methods.
 */
final class DeadlineSweep {
  private final Environment env;
  private final Notices notices;
  private final Runnable sweep;
  private @Nullable Task scheduled;

  DeadlineSweep(Environment env, Notices notices, Runnable sweep) {
    this.env = env;
    this.notices = notices;
    this.sweep = sweep;
  }

  /** The task of the timer, which runs without the lock. */
  private static final class Task implements Runnable {
    /** The sweep, or null while the session has no operations. */
    private volatile @Nullable Runnable action;

    private volatile boolean begun;

    @Override
    public void run() {
      begun = true;
      Runnable now = action;
      if (now != null) {
        now.run();
      }
    }

    /** Returns whether the task will run this action; if not, it may run it once nevertheless. */
    boolean runs(Runnable wanted) {
      action = wanted;
      return !begun;
    }
  }

  /** Schedules the sweep of the first deadline, unless a sweep is scheduled already. */
  void schedule(SessionState state) {
    OperationQueue waiting = state.window().operations();
    if (waiting.isEmpty() && state.calls().isEmpty() && state.unconfirmed().isEmpty()) {
      if (scheduled != null) {
        scheduled.action = null;
      }
    } else if (scheduled == null || !scheduled.runs(sweep)) {
      long now = env.nanoTime();
      long first = waiting.firstDeadline(now + env.operationTimeoutNanos());
      first = state.calls().firstDeadline(state.unconfirmed().firstDeadline(first));
      long nanos = Math.max(0, first - now);
      Task task = new Task();
      task.action = sweep;
      // First: if there is no memory for it, the next call must schedule the sweep again.
      notices.add(() -> after(nanos, task));
      scheduled = task;
    }
  }

  private void after(long nanos, Task task) {
    try {
      env.timer().schedule(nanos, task);
    } catch (Throwable e) {
      task.begun = true;
      throw e;
    }
  }
}
