package io.punctual.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.partition.QueuePartitions;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A queue that a client has looked up. It does not keep the partitions in memory: they stay as long
 * as something uses them, for example a {@code TimedQueue}, a delivery, a worker or a call in
 * progress. So all users of a queue share the same partitions, even if one of them uses the queue
 * again after a long time. Thread-safe.
 */
final class KnownQueue {
  /** The first look-up, until it has succeeded. */
  @GuardedBy("this") private @Nullable CompletableFuture<QueuePartitions> lookUp = new CompletableFuture<>();

  @GuardedBy("this") private WeakReference<QueuePartitions> partitions = new WeakReference<>(null);

  /** The next look-up if the store may have deleted the queue; null if it has not. */
  @GuardedBy("this") private @Nullable Renewal renewal;

  /**
   * The first look-up of a queue after a deletion. All callers that look the queue up at the same
   * time share its result.
   */
  static final class Renewal {
    private final CompletableFuture<QueuePartitions> end = new CompletableFuture<>();
    private boolean begun;

    synchronized boolean begin() {
      boolean first = !begun;
      begun = true;
      return first;
    }

    CompletableFuture<QueuePartitions> end() {
      return end;
    }
  }

  /** Returns the look-up or its result; null if nothing uses the partitions any more. */
  synchronized @Nullable CompletableFuture<QueuePartitions> found() {
    if (lookUp != null) {
      return lookUp;
    }
    QueuePartitions there = partitions.get();
    return there == null ? null : CompletableFuture.completedFuture(there);
  }

  /** Returns the partitions; null during the first look-up, or if nothing uses them any more. */
  synchronized @Nullable QueuePartitions partitions() {
    return partitions.get();
  }

  /** Returns whether nothing uses the partitions any more. */
  synchronized boolean isForgotten() {
    return lookUp == null && partitions.get() == null;
  }

  /** Ends the first look-up with its result. */
  synchronized void found(QueuePartitions those) {
    partitions = new WeakReference<>(those);
    lookUp = null;
  }

  /** Notes that the store may have deleted the queue. */
  synchronized void deleted() {
    renewal = new Renewal();
  }

  synchronized @Nullable Renewal renewal() {
    return renewal;
  }

  /** Replaces a renewal that has ended, unless a deletion has replaced it already. */
  synchronized void renewed(Renewal ended, @Nullable Renewal next) {
    if (renewal == ended) {
      renewal = next;
    }
  }
}
