package io.punctual.internal.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks that run when a held lease is lost, and the timer that notices the end of the
 * lease. Thread-safe.
 */
public final class LossWatch {
  private final Environment env;
  private final HeldLease lease;

  @GuardedBy("this") private @Nullable Runnable whenLost;

  @GuardedBy("this") private boolean watched;

  /** The timer's next call of {@link #look}. */
  @GuardedBy("this") private @Nullable Timeout nextLook;

  LossWatch(Environment env, HeldLease lease) {
    this.env = env;
    this.lease = lease;
  }

  /**
   * Adds a callback that {@link #lost} runs. Runs the callback at once if the lease is known to be
   * lost. Ignores the callback if the delivery is settled.
   */
  public void add(Runnable callback) {
    synchronized (this) {
      if (lease.isSettled()) {
        return;
      }
      if (!lease.isKnownLost()) {
        Runnable before = whenLost;
        whenLost = before == null ? callback : both(before, callback);
        return;
      }
    }
    callback.run();
  }

  private static Runnable both(Runnable first, Runnable second) {
    return () -> {
      first.run();
      second.run();
    };
  }

  /**
   * Starts to watch the end of the lease, so that the loss is recorded even if no worker renews the
   * lease.
   */
  public void watchEnd() {
    synchronized (this) {
      if (watched || isOver()) {
        return;
      }
      watched = true;
    }
    scheduleLook();
  }

  /**
   * Continues the watch of a lease that has another end, which may be earlier, or whose delivery is
   * unsettled again.
   */
  void endChanged() {
    boolean wasWatched;
    synchronized (this) {
      wasWatched = watched;
    }
    if (wasWatched) {
      scheduleLook();
    }
  }

  private boolean isOver() {
    return lease.isSettled() || lease.isKnownLost();
  }

  /** Reads the end of the lease within the lock, so that the look at its latest end remains. */
  private synchronized void scheduleLook() {
    cancelLook();
    try {
      nextLook =
          env.timer().schedule(Math.max(0, lease.remainingNanos(env.nanoTime())), this::look);
    } catch (RejectedExecutionException timerClosed) {
      // The client is closed, and reports no further losses.
    }
    if (isOver()) {
      cancelLook();
    }
  }

  private void look() {
    if (isOver()) {
      return;
    }
    if (lease.remainingNanos(env.nanoTime()) <= 0) {
      lease.lose();
    } else {
      scheduleLook();
    }
  }

  /** Ends the watch of a lost lease, and runs the callbacks. */
  void lost() {
    cancelLook();
    Runnable callback = takeCallback();
    if (callback != null) {
      callback.run();
    }
  }

  /** Ends the watch of a settled delivery, and forgets the callbacks. */
  void forget() {
    cancelLook();
    Runnable unused = takeCallback();
  }

  /**
   * Cancels the timer's next call of {@link #look}. Otherwise the timer would keep the delivery in
   * memory until the end of the lease.
   */
  private synchronized void cancelLook() {
    if (nextLook != null) {
      nextLook.cancel();
      nextLook = null;
    }
  }

  private synchronized @Nullable Runnable takeCallback() {
    Runnable taken = whenLost;
    whenLost = null;
    return taken;
  }
}
