package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The claimers of a worker, one for each partition of its queue, and the worker's pause.
 * Thread-safe.
 */
final class Claimers {
  private final QueuePartitions partitions;
  private final Function<PartitionClient, PartitionClaimer> create;
  private final WorkerPrefetch prefetch;
  private final BooleanSupplier isClosing;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * The claimers of the current partitions. {@link #lock} guards changes. The worker's monitor does
   * not, because users can hold it while they wait.
   */
  private volatile List<PartitionClaimer> current = List.of();

  /**
   * The claimers that were replaced while a claim was in flight. The worker's end waits for these
   * claims.
   */
  private final Set<PartitionClaimer> replaced = ConcurrentHashMap.newKeySet();

  /** Who has paused the worker. Unmodifiable; replaced under {@link #lock}. */
  private volatile Set<Pauser> pausers = Set.of();

  /** Who can pause a worker. The worker claims while nobody does. */
  enum Pauser {
    /** The worker's process. */
    PROCESS,

    /** An operator, from any process. */
    OPERATOR
  }

  /**
   * Prepares the claimers of a worker; {@link #start} creates and starts them.
   *
   * @param create creates a claimer of a partition
   * @param isClosing whether the worker is closing
   */
  Claimers(
      QueuePartitions partitions,
      Function<PartitionClient, PartitionClaimer> create,
      WorkerPrefetch prefetch,
      BooleanSupplier isClosing) {
    this.partitions = partitions;
    this.create = create;
    this.prefetch = prefetch;
    this.isClosing = isClosing;
  }

  /**
   * Replaces the claimers by claimers of the current partitions. While the worker is paused or
   * closing, it has no claimers.
   */
  void start() {
    List<PartitionClaimer> now;
    lock.lock();
    try {
      replaced.addAll(current);
      now =
          isPaused() || isClosing.getAsBoolean()
              ? List.of()
              : partitions.all().stream().map(create).toList();
      current = now;
    } finally {
      lock.unlock();
    }
    replaced.forEach(PartitionClaimer::close);
    forgetReplaced();
    now.forEach(PartitionClaimer::start);
    if (isClosing.getAsBoolean()) {
      now.forEach(PartitionClaimer::close);
    }
  }

  /** Pauses or resumes the claims and the prefetch. */
  void pause(Pauser pauser, boolean wanted) {
    lock.lock();
    try {
      boolean before = isPaused();
      set(pauser, wanted);
      if (isPaused() == before) {
        return;
      }
      if (!wanted) {
        prefetch.pause(false);
      }
    } finally {
      lock.unlock();
    }
    try {
      start();
      pausePrefetch();
    } catch (Throwable e) {
      keepPaused(pauser);
      throw e;
    }
  }

  /**
   * Applies the pause to the prefetch. Called after the claims have stopped; otherwise they would
   * claim the released messages again at once.
   */
  private void pausePrefetch() {
    lock.lock();
    try {
      prefetch.pause(isPaused());
    } finally {
      lock.unlock();
    }
    prefetch.releaseIfPaused();
  }

  /** Stays paused after a failure, so that the pauser can resume, and try again. */
  private void keepPaused(Pauser pauser) {
    lock.lock();
    try {
      set(pauser, true);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock") private void set(Pauser pauser, boolean wanted) {
    Set<Pauser> changed = EnumSet.noneOf(Pauser.class);
    changed.addAll(pausers);
    boolean unused = wanted ? changed.add(pauser) : changed.remove(pauser);
    pausers = Collections.unmodifiableSet(changed);
  }

  boolean isPaused() {
    return !pausers.isEmpty();
  }

  boolean isPausedBy(Pauser pauser) {
    return pausers.contains(pauser);
  }

  /** Lets each claimer claim if it may. */
  void run() {
    current.forEach(PartitionClaimer::run);
  }

  /** Forgets the replaced claimers whose claims have ended. */
  void forgetReplaced() {
    replaced.removeIf(claimer -> !claimer.isClaiming());
  }

  /** Returns whether a claim is in flight. */
  boolean areClaiming() {
    return Stream.concat(current.stream(), replaced.stream())
        .anyMatch(PartitionClaimer::isClaiming);
  }

  void close() {
    current.forEach(PartitionClaimer::close);
  }
}
