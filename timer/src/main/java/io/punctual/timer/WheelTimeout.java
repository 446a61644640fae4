package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task in a {@link SharedWheel}. Whoever takes the task away decides what becomes of it: a runner
 * runs it, a canceller drops it, a closing timer hands it back. Safe for use by many threads.
 */
final class WheelTimeout implements Timeout {
  private static final VarHandle TASK;

  static {
    try {
      TASK = MethodHandles.lookup().findVarHandle(WheelTimeout.class, "task", Runnable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The one left before or after it in an {@link Intake}. Whoever has taken them all owns this. */
  @Nullable WheelTimeout behind;

  private final SharedWheel wheel;
  private final long due;
  private volatile @Nullable Runnable task;

  WheelTimeout(SharedWheel wheel, Runnable task, long due) {
    this.wheel = wheel;
    TASK.set(this, task);
    this.due = due;
  }

  @Override
  public boolean cancel() {
    if (take() == null) {
      return false;
    }
    wheel.cancelled();
    return true;
  }

  /** The tick at which to run it. */
  long due() {
    return due;
  }

  /** The task, for the first who asks; null for all others. */
  @Nullable Runnable take() {
    return task == null ? null : (Runnable) TASK.getAndSet(this, null);
  }

  void takeTo(List<Runnable> tasks) {
    Runnable mine = take();
    if (mine != null) {
      tasks.add(mine);
    }
  }

  /** Whether somebody has taken the task. */
  boolean isAbandoned() {
    return task == null;
  }
}
