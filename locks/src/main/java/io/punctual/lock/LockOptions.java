package io.punctual.lock;

import io.punctual.Durability;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The options of an acquisition.
 *
 * @param leaseMillis how long the lock is held without a renewal
 * @param renewed whether the client renews it
 * @param durability which copies must confirm the acquisition
 * @param allReplicas whether all connected replicas must confirm it, instead of the number in
 *     {@code durability}
 */
record LockOptions(long leaseMillis, boolean renewed, Durability durability, boolean allReplicas) {
  static final Duration SHORTEST_LEASE = Duration.ofMillis(10);
  static final Duration LONGEST_LEASE = Duration.ofDays(30);
  static final Duration SHORTEST_RENEWED = Duration.ofMillis(500);
  static final Duration LONGEST_RENEWED = Duration.ofDays(1);
  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  LockOptions withLease(Duration lease) {
    return new LockOptions(ownLease(lease), false, durability, allReplicas);
  }

  /** Returns the same options with this lease. */
  LockOptions lasting(long millis) {
    return new LockOptions(millis, renewed, durability, allReplicas);
  }

  LockOptions withReplicas(int replicas) {
    return new LockOptions(
        leaseMillis, renewed, new Durability(durability.localDisk(), replicas), false);
  }

  LockOptions withAllReplicas() {
    return new LockOptions(leaseMillis, renewed, durability, true);
  }

  /**
   * Returns whether the requests wait for replicas or the disk, and so use a connection of their
   * own.
   */
  boolean isDurable() {
    return allReplicas || !durability.equals(Durability.NONE);
  }

  /** Returns whether a lock may pass within a client, without a request to the server. */
  boolean isPassedOn() {
    return renewed && !isDurable();
  }

  /** Returns a lease that is never renewed, in milliseconds. */
  static long ownLease(Duration lease) {
    return within("A lease", lease, SHORTEST_LEASE, LONGEST_LEASE).toMillis();
  }

  /** Returns how long to keep a lock, in milliseconds; a negative time counts as zero. */
  static long keepMillis(Duration keep) {
    return keep.isNegative()
        ? 0
        : within("The time to keep a lock", keep, Duration.ZERO, LONGEST_LEASE).toMillis();
  }

  /** Returns a lease that is renewed, in milliseconds. */
  static long renewedLease(Duration lease) {
    return within("A lease that is renewed", lease, SHORTEST_RENEWED, LONGEST_RENEWED).toMillis();
  }

  static long waitNanos(Duration wait) {
    return within("A wait", wait, Duration.ZERO, LONGEST_WAIT).toNanos();
  }

  /**
   * Returns a wait as Java's locks define it: negative waits count as zero; there is no maximum.
   */
  static Duration wait(long time, TimeUnit unit) {
    long nanos = Math.max(0, unit.toNanos(time));
    return Duration.ofNanos(Math.min(nanos, LONGEST_WAIT.toNanos()));
  }

  private static Duration within(String what, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          what + " is between " + least + " and " + most + ", but was " + value);
    }
    return value;
  }
}
