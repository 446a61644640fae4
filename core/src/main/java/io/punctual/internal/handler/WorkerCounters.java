package io.punctual.internal.handler;

import io.punctual.WorkerStats;
import java.time.Duration;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Counts the figures of {@link WorkerStats}. Thread-safe. */
public final class WorkerCounters {
  private final LongAdder handled = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder buried = new LongAdder();
  private final LongAccumulator maxLatenessNanos = new LongAccumulator(Math::max, 0);
  private volatile long latenessNanos;

  void handedOver(Duration lateness) {
    long nanos = lateness.toNanos();
    latenessNanos = nanos;
    maxLatenessNanos.accumulate(nanos);
  }

  void handled(int messages) {
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
}
