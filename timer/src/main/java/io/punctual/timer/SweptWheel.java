package io.punctual.timer;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The timing wheel of a {@link SharedWheel}: what is cancelled is not unlinked, but found empty
 * later. So a bucket needs no links in the timeouts, and is read like an array.
 *
 * <p>Not safe for use by many threads, except that timeouts may lose their tasks at any moment.
 */
final class SweptWheel extends Wheel<Consumer<? super WheelTimeout>> {
  private final TimeoutList[] buckets = new TimeoutList[Dial.BUCKETS];
  private TimeoutList.@Nullable Sweep sweep;
  private int sweptBucket;

  SweptWheel(long time) {
    super(time);
    Arrays.setAll(buckets, bucket -> new TimeoutList());
  }

  void schedule(WheelTimeout timeout) {
    append(timeout, dial.bucketFor(timeout.due()));
    size++;
  }

  boolean isSweeping() {
    return sweep != null;
  }

  /**
   * Drops empty timeouts from the levels, bucket by bucket, going on where it stopped. What is
   * emptied where it has been waits for the next sweep.
   *
   * @param looks after how many looks at timeouts to stop
   */
  void sweep(int looks) {
    TimeoutList.Sweep current = sweep != null ? sweep : sweepFrom(0);
    for (int looked = 0; looked < looks && current != null; ) {
      looked += current.step();
      if (current.isDone()) {
        size -= current.dropped();
        noteIfEmpty(sweptBucket);
        current = sweepFrom(sweptBucket + 1);
      }
    }
    sweep = current;
  }

  private TimeoutList.@Nullable Sweep sweepFrom(int bucket) {
    sweptBucket = dial.nextFrom(bucket);
    return sweptBucket == Dial.NONE ? null : new TimeoutList.Sweep(buckets[sweptBucket]);
  }

  @Override
  int handOver(Consumer<? super WheelTimeout> listener, int limit) {
    int handedOver = 0;
    while (handedOver < limit && dial.has(Dial.READY)) {
      WheelTimeout timeout = poll(Dial.READY);
      if (timeout != null) {
        handedOver++;
        size--;
        listener.accept(timeout);
      }
    }
    return handedOver;
  }

  @Override
  int unfold(int limit) {
    int looked = 0;
    while (looked < limit && dial.has(Dial.UNFOLDING)) {
      WheelTimeout timeout = poll(Dial.UNFOLDING);
      looked++;
      if (timeout != null && timeout.isAbandoned()) {
        size--;
      } else if (timeout != null) {
        append(timeout, dial.unfoldedBucketFor(timeout.due()));
      }
    }
    return looked;
  }

  @Override
  void unready() {
    TimeoutList ready = buckets[Dial.READY];
    buckets[Dial.READY] = new TimeoutList();
    dial.emptied(Dial.READY);
    while (!ready.isEmpty()) {
      WheelTimeout timeout = ready.poll();
      if (timeout != null) {
        append(timeout, dial.unfoldedBucketFor(timeout.due()));
      }
    }
  }

  @Override
  void moveAll(int from, int to) {
    if (sweep != null && from == sweptBucket) {
      size -= sweep.dropped();
      sweep = sweepFrom(from + 1);
    }
    buckets[to].addAll(buckets[from]);
    dial.added(to, dial.earliest(from));
    dial.emptied(from);
  }

  private @Nullable WheelTimeout poll(int bucket) {
    WheelTimeout timeout = buckets[bucket].poll();
    noteIfEmpty(bucket);
    return timeout;
  }

  private void append(WheelTimeout timeout, int bucket) {
    buckets[bucket].add(timeout);
    dial.added(bucket, timeout.due());
  }

  private void noteIfEmpty(int bucket) {
    if (buckets[bucket].isEmpty()) {
      dial.emptied(bucket);
    }
  }
}
