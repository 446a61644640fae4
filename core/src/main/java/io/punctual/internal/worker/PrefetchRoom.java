package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.spi.Partition;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The room of a {@link WorkerPrefetch}, and the line of claimers that wait for it. Shares the lock
 * of the prefetch. Thread-safe.
 */
final class PrefetchRoom {
  /**
   * The size of the waiting messages, in bytes, from which no further claim gets room. The replies
   * of claims in flight can exceed this size.
   */
  static final long MOST_BYTES = 16 << 20;

  private final ReentrantLock lock;
  private final BooleanSupplier isOpen;
  private final int most;
  private final ClaimThrottle throttle;
  private final Runnable prefetch;

  @GuardedBy("lock") private final Permits<PartitionClaimer> permits;

  /**
   * Creates the room for this many messages.
   *
   * @param isOpen returns whether further claims may bring messages; called under the lock
   * @param prefetch waits for the throttle, which runs it
   */
  PrefetchRoom(
      ReentrantLock lock,
      BooleanSupplier isOpen,
      int most,
      ClaimThrottle throttle,
      Runnable prefetch) {
    this.lock = lock;
    this.isOpen = isOpen;
    this.most = most;
    this.throttle = throttle;
    this.prefetch = prefetch;
    this.permits = new Permits<>(most);
  }

  /** Adds the room of messages that leave. The caller, the prefetch, holds the lock. */
  @SuppressWarnings("GuardedBy") // The prefetch has the same lock.
  void add(int messages) {
    permits.add(messages);
  }

  /**
   * Reserves room for the messages of a claim; returns the number of messages. If too little room
   * is free, or the throttle admits no claims, returns 0, and the claimer waits in the line until
   * there is room. The claimer does not wait if {@code wanted} is 0, or the prefetch is 0.
   *
   * @param wanted the largest number of messages that the claim can use
   */
  int reserve(PartitionClaimer claimer, int wanted) {
    if (most == 0 || wanted <= 0) {
      return 0;
    }
    lock.lock();
    try {
      int least = Math.max(1, Math.min(most, Partition.MAX_PAGE) / 2);
      boolean admits = isOpen.getAsBoolean() && throttle.admitsClaims(prefetch);
      return permits.take(claimer, least, admits ? wanted : 0);
    } finally {
      lock.unlock();
    }
  }

  void unreserve(int reserved) {
    if (reserved > 0) {
      lock.lock();
      try {
        permits.add(reserved);
      } finally {
        lock.unlock();
      }
      offer();
    }
  }

  void leave(PartitionClaimer claimer) {
    lock.lock();
    try {
      permits.leave(claimer);
    } finally {
      lock.unlock();
    }
  }

  /** Runs the claimers in the line for which there is room. */
  void offer() {
    for (Optional<PartitionClaimer> turn = turn(); turn.isPresent(); turn = turn()) {
      turn.get().run();
    }
  }

  private Optional<PartitionClaimer> turn() {
    lock.lock();
    try {
      return isOpen.getAsBoolean() && throttle.admitsClaims(prefetch)
          ? permits.pollTurn()
          : Optional.empty();
    } finally {
      lock.unlock();
    }
  }
}
