package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * New timeouts that are not in the wheel yet: a lock-free stack, where a push without contention is
 * a single compare-and-set (R. K. Treiber, 1986). Safe for use by many threads.
 */
final class TimeoutStack {
  private static final VarHandle LAST;

  static {
    try {
      LAST = MethodHandles.lookup().findVarHandle(TimeoutStack.class, "last", WheelTimeout.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable WheelTimeout last;

  /**
   * The approximate number of timeouts: concurrent threads may overwrite each other's increments.
   */
  private int count;

  /** Pushes a timeout that no other thread has seen yet; returns the approximate size. */
  int push(WheelTimeout timeout) {
    WheelTimeout before;
    do {
      before = last;
      timeout.next = before;
    } while (!LAST.weakCompareAndSet(this, before, timeout));
    return ++count;
  }

  /**
   * Removes all timeouts and returns the oldest; null if there are none. Each timeout's {@code
   * next} is the next newer timeout.
   */
  @Nullable WheelTimeout takeAll() {
    if (last == null) {
      return null;
    }
    count = 0;
    WheelTimeout first = null;
    WheelTimeout at = (WheelTimeout) LAST.getAndSet(this, null);
    while (at != null) {
      WheelTimeout before = at.next;
      at.next = first;
      first = at;
      at = before;
    }
    return first;
  }
}
