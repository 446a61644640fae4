package io.punctual.timer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link TimingWheel} behind a {@link Gate}: many threads schedule and cancel and never wait for
 * one another; one thread, the sleeper, collects what is due, and is woken only by a timeout that
 * is due before it meant to wake. Safe for use by many threads.
 */
final class SharedWheel {
  static final long AWAKE = Long.MIN_VALUE;

  private final Gate gate = new Gate();

  /** This and the wheel are touched inside the gate only. */
  private long wakeAt = AWAKE;

  private final TimingWheel<WheelTimeout> wheel;
  private @Nullable Thread sleeper;

  SharedWheel(long time) {
    wheel = new TimingWheel<>(time);
  }

  void schedule(WheelTimeout timeout) {
    gate.submit(timeout);
  }

  /** Lets go of a timeout whose task has been taken. */
  void remove(WheelTimeout timeout) {
    if (gate.tryEnter()) {
      wheel.cancel(timeout);
      gate.leave();
    } else if (!timeout.isLeft()) {
      gate.submit(timeout);
    }
  }

  /** Puts a timeout where it belongs. Inside the gate only. */
  void settle(WheelTimeout timeout) {
    if (timeout.isTaken()) {
      wheel.cancel(timeout);
      return;
    }
    wheel.schedule(timeout, timeout.due);
    if (timeout.due < wakeAt && sleeper != null) {
      wakeAt = timeout.due;
      gate.wakeAfterwards(sleeper);
    }
  }

  /**
   * Moves what is due at {@code now} to {@code batch}, as far as it fits. To be called by one
   * thread, which may sleep as long as the batch says and is unparked when that was too long.
   */
  void collect(long now, Batch batch) {
    gate.enter();
    try {
      wheel.advance(now, batch.capacity(), batch);
      long next = wheel.nextExpiry();
      wakeAt = batch.isEmpty() && next > now ? next : AWAKE;
      batch.nextAt(wakeAt);
      sleeper = Thread.currentThread();
    } finally {
      gate.leave();
    }
  }

  /** Takes all tasks: those in {@code batch} first, then the others in the order of their time. */
  List<Runnable> takeAll(Batch batch) {
    List<Runnable> tasks = new ArrayList<>();
    gate.enter();
    try {
      batch.takeAll(tasks);
      while (wheel.size() > 0) {
        wheel.advance(Long.MAX_VALUE, Wheel.UNFOLD_LIMIT, timeout -> timeout.takeTo(tasks));
      }
    } finally {
      gate.leave();
    }
    return tasks;
  }

  int size() {
    gate.enter();
    try {
      return wheel.size();
    } finally {
      gate.leave();
    }
  }
}
