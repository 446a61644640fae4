package io.punctual.timer;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The timing wheel of a {@link SharedWheel}. A cancelled timeout is not unlinked; it stays in its
 * bucket without a task until the next poll or sweep finds it. So timeouts need no links to their
 * neighbours in a bucket, and a bucket can be a {@link TimeoutList}.
 *
 * <p>Not safe for use by many threads, except that any thread may take the task of a timeout at any
 * moment.
 */
final class SweptWheel extends Wheel<Consumer<? super WheelTimeout>> {
  private final TimeoutList[] buckets = new TimeoutList[Levels.BUCKETS];
  private TimeoutList.@Nullable Sweep sweep;
  private int sweptBucket;

  SweptWheel(long time) {
    super(time);
    Arrays.setAll(buckets, bucket -> new TimeoutList());
  }

  void schedule(WheelTimeout timeout) {
    append(timeout, levels.bucketFor(timeout.due()));
    size++;
  }

  boolean isSweeping() {
    return sweep != null;
  }

  /**
   * Removes empty timeouts from the levels, bucket by bucket, and resumes where the last call
   * stopped. A timeout that is cancelled after the sweep has passed it stays in its bucket.
   *
   * @param looks the number of timeouts to check in this call, rounded up to whole arrays of a
   *     {@link TimeoutList}
   */
  void sweep(int looks) {
    TimeoutList.Sweep current = sweep != null ? sweep : sweepFrom(0);
    for (int looked = 0; looked < looks && current != null; ) {
      looked += current.step();
      if (current.isDone()) {
        sweep = null;
        size -= current.dropped();
        noteIfEmpty(sweptBucket);
        current = sweepFrom(sweptBucket + 1);
      }
    }
    sweep = current;
  }

  private TimeoutList.@Nullable Sweep sweepFrom(int bucket) {
    sweptBucket = levels.nextFrom(bucket);
    return sweptBucket == Levels.NONE ? null : new TimeoutList.Sweep(buckets[sweptBucket]);
  }

  @Override
  int handOver(Consumer<? super WheelTimeout> listener, int limit) {
    int handedOver = 0;
    while (handedOver < limit && levels.has(Levels.READY)) {
      WheelTimeout timeout = poll(Levels.READY);
      if (timeout != null) {
        handedOver++;
        size--;
        listener.accept(timeout);
      }
    }
    return handedOver;
  }

  @Override
  int cascade(int limit) {
    int looked = 0;
    while (looked < limit && levels.has(Levels.CASCADING)) {
      WheelTimeout timeout = buckets[Levels.CASCADING].peek();
      looked++;
      if (timeout != null && timeout.isEmpty()) {
        size--;
      } else if (timeout != null) {
        append(timeout, levels.bucketAfterCascade(timeout.due()));
      }
      poll(Levels.CASCADING);
    }
    return looked;
  }

  @Override
  void returnNotDueToLevels() {
    TimeoutList ready = buckets[Levels.READY];
    buckets[Levels.READY] = new TimeoutList();
    levels.emptied(Levels.READY);
    try {
      while (!ready.isEmpty()) {
        WheelTimeout timeout = ready.peek();
        if (timeout != null) {
          append(timeout, levels.bucketAfterCascade(timeout.due()));
        }
        ready.poll();
      }
    } finally {
      if (!ready.isEmpty()) {
        buckets[Levels.READY].addAll(ready);
        levels.added(Levels.READY, levels.time());
      }
    }
  }

  @Override
  void moveAll(int from, int to) {
    TimeoutList.Sweep ended = from == sweptBucket ? sweep : null;
    if (ended != null) {
      size -= ended.dropped();
      sweep = null;
    }
    buckets[to].addAll(buckets[from]);
    levels.added(to, levels.earliest(from));
    levels.emptied(from);
    if (ended != null) {
      sweep = sweepFrom(from + 1); // last, because it may find no memory
    }
  }

  private @Nullable WheelTimeout poll(int bucket) {
    WheelTimeout timeout = buckets[bucket].poll();
    noteIfEmpty(bucket);
    return timeout;
  }

  private void append(WheelTimeout timeout, int bucket) {
    buckets[bucket].add(timeout);
    levels.added(bucket, timeout.due());
  }

  private void noteIfEmpty(int bucket) {
    if (buckets[bucket].isEmpty()) {
      levels.emptied(bucket);
    }
  }
}
