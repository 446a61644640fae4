package io.punctual.timer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A {@link SweptWheel} for many threads that schedule and cancel, and one, the sleeper, that
 * collects what is due.
 *
 * <p><b>To schedule</b> is to leave the timeout in the {@link Intake}. It is placed in the wheel
 * when the sleeper wakes, which it is asked to do once many have been left; or at once if it is due
 * before the sleeper means to wake. Nobody waits for the lock to do so: who finds it taken can rely
 * on the holder, who looks for what is urgent after unlocking.
 *
 * <p><b>The sleeper</b> announces when it will wake, and then looks into the intake once more; who
 * schedules leaves its timeout and then looks at the announcement. So one of the two sees the
 * other, and no wake-up is lost.
 *
 * <p><b>To cancel</b> is to take the task away, one atomic step that leaves the wheel alone: to
 * unlink a timeout would cost the lock and several cache misses. Once half of all timeouts may be
 * empty the sleeper is asked to sweep, which it does along the lists; so there are never many more
 * of them than of the others.
 *
 * <p><b>If the sleeper does not come</b>, because a task keeps it busy, those who schedule and
 * cancel do its chores, so that memory stays bounded.
 *
 * <p>Safe for use by many threads.
 */
final class SharedWheel {
  static final long AWAKE = Long.MIN_VALUE;

  /** So few empty timeouts may stay whatever the number of others. */
  static final int TOLERATED = 1 << 13;

  /** How many may be left in the intake before the sleeper is asked to place them. */
  static final int BUNDLE = 1 << 12;

  /** How many times as much may come together before others do what the sleeper should. */
  private static final int PATIENCE = 4;

  /** How many timeouts one piece of a sweep looks at: some microseconds. */
  private static final int PIECE = 1024;

  private final Intake intake = new Intake();
  private final CancelCount cancels = new CancelCount();
  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable wake;

  /** The wheel, and what is to be done after unlocking: for the holder of the lock only. */
  private final SweptWheel wheel;

  private boolean wakeSleeper;

  /** When the sleeper means to wake. Changed by the holder of the lock only. */
  private volatile long wakeAt = AWAKE;

  /** The count of cancels when the last sweep began, and after how many more one is due. */
  private volatile long cancelsAtSweep;

  private volatile int cancelsToSweep = TOLERATED;

  /** Whether something may be in the intake that is due before the sleeper means to wake. */
  private volatile boolean urgent;

  /** Whether the sleeper has been asked to come for chores. */
  private volatile boolean asked;

  /** An empty wheel; {@code wake} ends the sleeper's sleep, or its next one if it is awake. */
  SharedWheel(long time, Runnable wake) {
    wheel = new SweptWheel(time);
    this.wake = wake;
  }

  void schedule(WheelTimeout timeout) {
    int left = intake.leave(timeout);
    if (timeout.due() < wakeAt) {
      urgent = true;
      settle();
    } else if (left >= BUNDLE) {
      askForChores();
      if (left >= PATIENCE * BUNDLE && lock.tryLock()) {
        place();
        unlock();
      }
    }
  }

  /** Takes note that a timeout has lost its task. */
  void cancelled() {
    if (!cancels.increment()) {
      return;
    }
    long excess = cancelsSinceSweep() - cancelsToSweep;
    if (excess > 0) {
      askForChores();
    }
    if (excess > cancelsToSweep / 2 && lock.tryLock()) {
      place();
      sweepPiece();
      unlock();
    }
  }

  /**
   * Moves what is due at {@code now} to {@code batch}, as far as it fits. To be called by one
   * thread, which may sleep as long as the batch says and is woken when that was too long.
   */
  void collect(long now, Batch batch) {
    lock();
    try {
      asked = false;
      int expired = wheel.advance(now, batch.capacity(), batch);
      boolean inVain = expired > 0 && batch.isEmpty();
      if (wheel.isSweeping()
          || cancelsSinceSweep() > (inVain ? wheel.size() / 2 : cancelsToSweep)) {
        sweepPiece();
      }
      long next = wheel.nextExpiry();
      wakeAt = batch.isEmpty() && next > now && !wheel.isSweeping() ? next : AWAKE;
      place();
      batch.nextAt(wakeAt);
      wakeSleeper = false;
    } finally {
      unlock();
    }
  }

  /** Takes all tasks: those in {@code batch} first, then the others in the order of their time. */
  List<Runnable> takeAll(Batch batch) {
    List<Runnable> tasks = new ArrayList<>();
    lock();
    try {
      batch.takeAll(tasks);
      while (wheel.size() > 0) {
        wheel.advance(Long.MAX_VALUE, Integer.MAX_VALUE, timeout -> timeout.takeTo(tasks));
      }
    } finally {
      unlock();
    }
    return tasks;
  }

  /** How many timeouts it holds, empty ones included. */
  int size() {
    lock();
    try {
      return wheel.size();
    } finally {
      unlock();
    }
  }

  /** Places what is in the intake, unless another thread has the lock or is about to get it. */
  private void settle() {
    do {
      if (lock.hasQueuedThreads() || !lock.tryLock()) {
        return;
      }
      place();
      release();
    } while (urgent);
  }

  private void lock() {
    lock.lock();
    place();
  }

  private void unlock() {
    release();
    if (urgent) {
      settle();
    }
  }

  private void release() {
    boolean waking = wakeSleeper;
    wakeSleeper = false;
    lock.unlock();
    if (waking) {
      wake.run();
    }
  }

  private void place() {
    urgent = false;
    cancelsToSweep = Math.max(TOLERATED, wheel.size() / 2);
    long earliest = Long.MAX_VALUE;
    WheelTimeout timeout = intake.takeAll();
    while (timeout != null) {
      WheelTimeout following = timeout.behind;
      timeout.behind = null;
      if (!timeout.isAbandoned()) {
        wheel.schedule(timeout);
        earliest = Math.min(earliest, timeout.due());
      }
      timeout = following;
    }
    if (earliest < wakeAt) {
      wakeAt = earliest;
      wakeSleeper = true;
    }
  }

  private void sweepPiece() {
    if (!wheel.isSweeping()) {
      cancelsAtSweep = cancels.sum();
    }
    wheel.sweep(PIECE);
  }

  private long cancelsSinceSweep() {
    return cancels.sum() - cancelsAtSweep;
  }

  private void askForChores() {
    if (!asked) {
      asked = true;
      wake.run();
    }
  }
}
