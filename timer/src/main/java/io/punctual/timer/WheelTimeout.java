package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A timeout in a {@link SharedWheel}. Its task can be taken once: to run it, to cancel it, or to
 * return it from {@link WheelTimer#close()}. Safe for use by many threads.
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

  /**
   * The neighbour in a {@link TimeoutStack}. After {@link TimeoutStack#takeAll}, only the caller of
   * that method uses it.
   */
  @Nullable WheelTimeout next;

  private final SharedWheel wheel;
  private final long due;

  /** The task; null when it was taken. */
  volatile @Nullable Runnable task;

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

  /** The tick at which the task is due. */
  long due() {
    return due;
  }

  /** Takes the task: returns it on the first call, null on all later calls. */
  @Nullable Runnable take() {
    return task == null ? null : (Runnable) TASK.getAndSet(this, null);
  }

  void takeTo(List<Runnable> tasks) {
    Runnable mine = take();
    if (mine != null) {
      tasks.add(mine);
    }
  }

  /** Returns whether the task has been taken out. */
  boolean isEmpty() {
    return task == null;
  }
}
