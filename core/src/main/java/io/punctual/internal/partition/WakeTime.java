package io.punctual.internal.partition;

import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The earliest moment at which a partition may have a due message. A hint, the safety check and the
 * reply of a claim can only make the moment earlier; sending a claim clears it. So the reply of a
 * claim, which may be older than a hint, never overwrites that hint. A timer can run a task at that
 * moment. Guarded by its owner's lock.
 */
public final class WakeTime {
  private static final long FOREVER_MICROS = TimeUnit.DAYS.toMicros(365 * 50L);

  private final Environment env;
  private final Runnable task;
  private boolean known;
  private long nanos;
  private @Nullable Timeout timeout;
  private long timeoutNanos;

  /**
   * Creates a wake time whose moment is not known yet.
   *
   * @param task the timer's task, which runs without the lock
   */
  public WakeTime(Environment env, Runnable task) {
    this.env = env;
    this.task = task;
  }

  /**
   * Sets the moment to {@code untilNextMicros} from now if that is earlier; ignores times of 50
   * years or more.
   */
  public void lower(long nowNanos, long untilNextMicros) {
    if (untilNextMicros >= FOREVER_MICROS) {
      return;
    }
    long at = nowNanos + TimeUnit.MICROSECONDS.toNanos(Math.max(0, untilNextMicros));
    if (!known || at - nanos < 0) {
      known = true;
      nanos = at;
    }
  }

  public void clear() {
    known = false;
  }

  public boolean isKnown() {
    return known;
  }

  public boolean hasCome(long nowNanos) {
    return known && nanos - nowNanos <= 0;
  }

  /**
   * Sets the timer to the moment, which must be known, unless it is set to an earlier moment.
   * Returns false if the user has closed the timer before the client.
   */
  public boolean setTimer() {
    long now = env.nanoTime();
    if (timeout != null && timeoutNanos - nanos <= 0 && timeoutNanos - now > 0) {
      return true;
    }
    cancelTimer(); // first, because the timer may throw
    timeoutNanos = nanos;
    timeout = env.ifOpen(Math.max(0, timeoutNanos - now), task);
    return timeout != null;
  }

  public void cancelTimer() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }
}
