package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * New timeouts that nobody has placed yet: a stack, so that leaving one is one compare-and-set
 * (after R. K. Treiber, 1986). Safe for use by many threads.
 */
final class Intake {
  private static final VarHandle LAST;

  static {
    try {
      LAST = MethodHandles.lookup().findVarHandle(Intake.class, "last", WheelTimeout.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable WheelTimeout last;

  /** About how many have been left: threads may overwrite each other's counts. */
  private int count;

  /** Leaves a timeout that no other thread knows yet; returns about how many there are. */
  int leave(WheelTimeout timeout) {
    WheelTimeout before;
    do {
      before = last;
      timeout.behind = before;
    } while (!LAST.weakCompareAndSet(this, before, timeout));
    return ++count;
  }

  /** Takes all; returns the one that was left first, from which {@code behind} leads on. */
  @Nullable WheelTimeout takeAll() {
    if (last == null) {
      return null;
    }
    count = 0;
    WheelTimeout first = null;
    WheelTimeout at = (WheelTimeout) LAST.getAndSet(this, null);
    while (at != null) {
      WheelTimeout before = at.behind;
      at.behind = first;
      first = at;
      at = before;
    }
    return first;
  }
}
