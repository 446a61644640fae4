package io.punctual.internal.task;

import java.util.concurrent.TimeUnit;

/**
 * Limits the rate of a task. After a pause, it makes up for at most two batches. Not thread-safe.
 */
public final class Pace {
  private static final int LARGEST_BATCH = 500;
  private static final int BATCHES_PER_SECOND = 10;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private final int batch;
  private double available;
  private long since;

  /** Creates a pace; {@link Integer#MAX_VALUE} means no limit. */
  public Pace(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.batch = Math.max(1, Math.min(LARGEST_BATCH, perSecond / BATCHES_PER_SECOND));
    this.available = batch;
    this.since = nowNanos;
  }

  /** Returns the largest number of changes in a step. */
  public int batch() {
    return batch;
  }

  /**
   * Returns how long to wait before this number of changes, in nanoseconds; 0 if they can be sent
   * now.
   */
  public long waitFor(int changes, long nowNanos) {
    if (perSecond == Integer.MAX_VALUE) {
      return 0;
    }
    available = Math.min(2.0 * batch, available + (nowNanos - since) * perSecond / NANOS);
    since = nowNanos;
    return available >= changes ? 0 : (long) Math.ceil((changes - available) * NANOS / perSecond);
  }

  /** Records that this number of changes is sent. */
  public void sent(int changes) {
    available -= changes;
  }
}
