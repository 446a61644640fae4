package io.punctual.timer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SweptWheel} for concurrent use: any number of threads schedule and cancel timeouts, and
 * a single timer thread collects the expired timeouts.
 *
 * <p><b>Schedule</b> pushes the timeout on the {@link TimeoutStack}. The timer thread places the
 * stacked timeouts in the wheel when it wakes up; a thread that finds many stacked timeouts wakes
 * the timer thread. If a timeout is due before the announced wake-up, the scheduling thread places
 * it at once. A scheduling thread never waits for the lock: if another thread holds the lock, that
 * thread checks for urgent timeouts after it unlocks.
 *
 * <p><b>The timer thread</b> announces its wake-up time and then checks the stack again. A
 * scheduling thread pushes its timeout and then reads the announced time. So at least one of the
 * two threads sees the other's write, and no wake-up is lost.
 *
 * <p><b>Cancel</b> removes the task from its timeout in a single atomic step and leaves the wheel
 * alone, because unlinking the timeout would need the lock and cost several cache misses. When more
 * than {@link #SWEEP_THRESHOLD} timeouts, and about half of all timeouts, may be empty, the timer
 * thread sweeps the empty timeouts out of the buckets.
 *
 * <p><b>Overload:</b> while a task blocks the timer thread, the scheduling and cancelling threads
 * place and sweep timeouts themselves, so that empty timeouts do not fill the memory.
 *
 * <p>Safe for use by many threads.
 */
final class SharedWheel {
  static final long AWAKE = Long.MIN_VALUE;

  /** Up to this number, empty timeouts need no sweep, however few timeouts are pending. */
  static final int SWEEP_THRESHOLD = 1 << 13;

  /** The number of stacked timeouts at which the timer thread is woken to place them. */
  static final int PLACE_THRESHOLD = 1 << 12;

  /** The multiple of {@link #PLACE_THRESHOLD} at which other threads place the stacked timeouts. */
  private static final int OVERLOAD_FACTOR = 4;

  /** The number of timeouts that a sweep checks in each step, which takes some microseconds. */
  private static final int SWEEP_STEP = 1024;

  private final TimeoutStack intake = new TimeoutStack();
  private final CancelCount cancels = new CancelCount();
  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable wake;

  /** Only the thread that holds the lock may access the wheel and {@code wakeTimerThread}. */
  private final SweptWheel wheel;

  private boolean wakeTimerThread;

  /**
   * The tick of the timer thread's next wake-up. Written only by the thread that holds the lock.
   */
  private volatile long wakeAt = AWAKE;

  /**
   * The count of cancels at the start of the last sweep. The next sweep is due {@link
   * #cancelsToSweep} cancels later.
   */
  private volatile long cancelsAtSweep;

  private volatile int cancelsToSweep = SWEEP_THRESHOLD;

  /** Whether the stack may hold a timeout that is due before the timer thread's wake-up. */
  private volatile boolean urgent;

  /** Whether the timer thread has been woken to place or sweep timeouts. */
  private volatile boolean maintenanceRequested;

  /**
   * Creates an empty wheel. {@code wake} ends the timer thread's current sleep, or its next sleep
   * if it is awake.
   */
  SharedWheel(long time, Runnable wake) {
    wheel = new SweptWheel(time);
    this.wake = wake;
  }

  /** Whether a schedule of this timeout enters the critical section. */
  boolean isUrgent(WheelTimeout timeout) {
    return timeout.due() < wakeAt;
  }

  /**
   * Schedules a timeout. The caller has stack for a critical section if the timeout {@link
   * #isUrgent}. If this method throws, the timeout may be scheduled, so the caller must take its
   * task.
   */
  void schedule(WheelTimeout timeout) {
    int left = intake.push(timeout);
    if (isUrgent(timeout)) {
      urgent = true;
      placeUrgent();
    } else if (left >= PLACE_THRESHOLD) {
      requestMaintenance();
      if (left >= OVERLOAD_FACTOR * PLACE_THRESHOLD) {
        helpOut(false);
      }
    }
  }

  /**
   * Counts a timeout that has lost its task, and requests or performs a sweep when a sweep is due.
   */
  void cancelled() {
    if (!cancels.increment()) {
      return;
    }
    long excess = cancelsSinceSweep() - cancelsToSweep;
    if (excess > 0) {
      requestMaintenance();
    }
    if (excess > cancelsToSweep / 2) {
      helpOut(true);
    }
  }

  /**
   * Places the stacked timeouts for the timer thread, if no other thread does, and may sweep.
   * Throws nothing, because the caller's timeout is already stacked or cancelled.
   */
  private void helpOut(boolean sweep) {
    if (StackRoom.isEnough() && lock.tryLock()) {
      try {
        place();
        if (sweep) {
          sweepStep();
        }
      } catch (OutOfMemoryError e) {
        requestMaintenance();
      } finally {
        unlock();
      }
    }
  }

  /**
   * Moves expired timeouts to {@code batch} until it is full. Only the timer thread calls this
   * method. The timer thread may then sleep until {@link ExpiredBatch#nextAt()}; a thread that
   * schedules an earlier timeout wakes the timer thread.
   */
  void collect(long now, ExpiredBatch batch) {
    lock.lock();
    try {
      place();
      maintenanceRequested = false;
      int expired = wheel.advance(now, batch.capacity(), batch);
      boolean allEmpty = expired > 0 && batch.isEmpty();
      if (wheel.isSweeping()
          || cancelsSinceSweep() > (allEmpty ? wheel.size() / 2 : cancelsToSweep)) {
        sweepStep();
      }
      long next = wheel.nextExpiry();
      wakeAt = batch.isEmpty() && next > now && !wheel.isSweeping() ? next : AWAKE;
      place();
      batch.nextAt(wakeAt);
      wakeTimerThread = false;
    } finally {
      unlock();
    }
  }

  /** Takes all tasks: first the tasks in {@code batch}, then all scheduled tasks by due time. */
  List<Runnable> takeAll(ExpiredBatch batch) {
    List<Runnable> tasks = new ArrayList<>();
    lock.lock();
    try {
      place();
      batch.takeAll(tasks);
      while (wheel.size() > 0) {
        wheel.advance(Long.MAX_VALUE, Integer.MAX_VALUE, timeout -> timeout.takeTo(tasks));
      }
    } finally {
      unlock();
    }
    return tasks;
  }

  /** The number of timeouts in the wheel, including empty timeouts. */
  int size() {
    lock.lock();
    try {
      place();
      return wheel.size();
    } finally {
      unlock();
    }
  }

  /**
   * Places urgent timeouts. Does nothing if another thread holds the lock or waits for it, because
   * that thread places them. Without memory, leaves them to the timer thread.
   */
  private void placeUrgent() {
    do {
      if (lock.hasQueuedThreads() || !lock.tryLock()) {
        return;
      }
      try {
        place();
      } catch (OutOfMemoryError e) {
        wakeTimerThread = true;
      } finally {
        release();
      }
    } while (urgent);
  }

  private void unlock() {
    release();
    if (urgent) {
      placeUrgent();
    }
  }

  private void release() {
    boolean waking = wakeTimerThread;
    wakeTimerThread = false;
    lock.unlock();
    if (waking) {
      wake.run();
    }
  }

  /** Places the stacked timeouts. An error leaves the timeouts that are not placed on the stack. */
  private void place() {
    urgent = false;
    cancelsToSweep = Math.max(SWEEP_THRESHOLD, wheel.size() / 2);
    WheelTimeout timeout = intake.takeAll();
    long earliest = Long.MAX_VALUE;
    try {
      while (timeout != null) {
        if (!timeout.isEmpty()) {
          wheel.schedule(timeout);
          earliest = Math.min(earliest, timeout.due());
        }
        WheelTimeout following = timeout.next;
        timeout.next = null;
        timeout = following;
      }
    } finally {
      giveBack(timeout);
    }
    if (earliest < wakeAt) {
      wakeAt = earliest;
      wakeTimerThread = true;
    }
  }

  private void giveBack(@Nullable WheelTimeout first) {
    WheelTimeout timeout = first;
    while (timeout != null) {
      WheelTimeout following = timeout.next;
      intake.push(timeout);
      timeout = following;
    }
  }

  private void sweepStep() {
    boolean begins = !wheel.isSweeping();
    long sum = cancels.sum();
    wheel.sweep(SWEEP_STEP);
    if (begins) {
      cancelsAtSweep = sum;
    }
  }

  private long cancelsSinceSweep() {
    return cancels.sum() - cancelsAtSweep;
  }

  private void requestMaintenance() {
    if (!maintenanceRequested) {
      maintenanceRequested = true;
      wake.run();
    }
  }
}
