package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.WorkerStats;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the figures of a worker, since its start and in the last minute. A reading of the counters
 * that is 30 to 60 seconds old begins the last minute. Thread-safe.
 */
public final class WorkerCounters {
  private static final long HALF_MINUTE = TimeUnit.SECONDS.toNanos(30);

  private final LongAdder handled = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder buried = new LongAdder();
  private final LongAccumulator maxLatenessNanos = new LongAccumulator(Math::max, 0);
  private final LatenessRecorder recorder = new LatenessRecorder();
  private volatile long latenessNanos;

  /** The reading at which the recent figures begin. */
  @GuardedBy("this") private Reading older;

  /** The reading that becomes {@link #older} when it is half a minute old. */
  @GuardedBy("this") private Reading newer;

  /** The greatest lateness between the two readings, in microseconds. */
  @GuardedBy("this") private long maxBefore;

  private record Reading(long nanos, long handled, long failed, int[] lateness) {}

  /** Creates counters of zero at this time on the timer's clock. */
  public WorkerCounters(long nowNanos) {
    newer = new Reading(nowNanos, 0, 0, new int[LatenessHistogram.BUCKETS]);
    older = newer;
  }

  /** Counts a message that a handler receives. */
  public void handedOver(Duration lateness) {
    long nanos = TimeUnit.NANOSECONDS.convert(lateness);
    latenessNanos = nanos;
    maxLatenessNanos.accumulate(nanos);
    recorder.record(lateness);
  }

  public void handled(int messages) {
    handled.add(messages);
  }

  public void failed() {
    failed.increment();
  }

  public void buried() {
    buried.increment();
  }

  public WorkerStats stats(int running) {
    return new WorkerStats(
        handled.sum(),
        failed.sum(),
        buried.sum(),
        running,
        Duration.ofNanos(latenessNanos),
        Duration.ofNanos(maxLatenessNanos.get()));
  }

  /** Returns the figures at this time on the timer's clock. */
  public synchronized CountedFigures figures(int running, long nowNanos) {
    Reading now = new Reading(nowNanos, handled.sum(), failed.sum(), recorder.counts());
    long[] lateness = new long[LatenessHistogram.BUCKETS];
    for (int i = 0; i < lateness.length; i++) {
      lateness[i] = (long) now.lateness[i] - older.lateness[i];
    }
    LatenessHistogram recent =
        LatenessHistogram.of(lateness, Math.max(maxBefore, recorder.maxMicros()));
    // The announcement of an idle worker stays the same, so that stores need not send it again.
    boolean isIdle =
        recent.count() == 0 && now.handled == older.handled && now.failed == older.failed;
    CountedFigures figures =
        new CountedFigures(
            now.handled,
            now.failed,
            running,
            Duration.ofNanos(isIdle ? 0 : Math.max(0, nowNanos - older.nanos)),
            now.handled - older.handled,
            now.failed - older.failed,
            isIdle ? LatenessHistogram.EMPTY : recent);
    if (nowNanos - newer.nanos >= HALF_MINUTE) {
      older = newer;
      newer = now;
      maxBefore = recorder.takeMax();
    }
    return figures;
  }
}
