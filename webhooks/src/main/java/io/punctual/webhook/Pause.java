package io.punctual.webhook;

import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * The pause of a target that asked for one. It ends by the timer alone, because a wall clock that
 * is set back would make it longer, or bring it back after its end. Thread-safe.
 */
final class Pause {
  private final DueTimer timer;
  private final Runnable changed;
  private boolean isOn;
  private long end;

  /**
   * Creates it without a pause.
   *
   * @param changed is run when a pause has begun or ended by time
   */
  Pause(DueTimer timer, Runnable changed) {
    this.timer = timer;
    this.changed = changed;
  }

  /** Begins a pause, unless a pause that ends later has begun. */
  void begin(Duration wait) {
    long next = timer.nanoTime() + wait.toNanos();
    synchronized (this) {
      if (wait.isZero() || (isOn && next - end <= 0)) {
        return;
      }
      isOn = true;
      end = next;
    }
    changed.run();
    try {
      timer.schedule(wait, () -> end(next));
    } catch (RejectedExecutionException e) {
      // The process ends.
    } catch (Error e) {
      end(next); // Nothing else would end it.
      throw e;
    }
  }

  private void end(long due) {
    synchronized (this) {
      if (isOn && end == due) {
        isOn = false;
      }
    }
    changed.run();
  }

  synchronized void clear() {
    isOn = false;
  }

  synchronized boolean isOn() {
    return isOn;
  }

  /** Returns the time to its end; empty without a pause. */
  synchronized Optional<Duration> rest() {
    return isOn
        ? Optional.of(Duration.ofNanos(Math.max(0, end - timer.nanoTime())))
        : Optional.empty();
  }
}
