package io.punctual.internal.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the lateness of messages, in the buckets of {@link LatenessHistogram}. Thread-safe. */
final class LatenessRecorder {
  /** The counts since the start. They may overflow: only their differences are used. */
  private final AtomicIntegerArray counts = new AtomicIntegerArray(LatenessHistogram.BUCKETS);

  private final AtomicLong maxMicros = new AtomicLong();

  void record(Duration lateness) {
    long micros = Math.max(0, TimeUnit.MICROSECONDS.convert(lateness));
    counts.getAndIncrement(LatenessHistogram.bucketOf(micros));
    if (micros > maxMicros.get()) {
      long unused = maxMicros.accumulateAndGet(micros, Math::max);
    }
  }

  /** Returns the counts, in a new array. */
  int[] counts() {
    int[] copy = new int[LatenessHistogram.BUCKETS];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = counts.get(i);
    }
    return copy;
  }

  /** Returns the greatest lateness since the last {@link #takeMax}, in microseconds. */
  long maxMicros() {
    return maxMicros.get();
  }

  /** Returns the result of {@link #maxMicros}, and begins again with zero. */
  long takeMax() {
    return maxMicros.getAndSet(0);
  }
}
