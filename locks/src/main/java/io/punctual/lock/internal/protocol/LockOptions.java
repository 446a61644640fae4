package io.punctual.lock.internal.protocol;

import io.punctual.Durability;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The options of an acquisition.
 *
 * @param leaseMillis how long the lock is held without a renewal
 * @param renewed whether the client renews the lease
 * @param durability which copies of the data must confirm the acquisition
 * @param allReplicas whether all connected replicas must confirm the acquisition, instead of the
 *     number in {@code durability}
 */
public record LockOptions(
    long leaseMillis, boolean renewed, Durability durability, boolean allReplicas) {
  static final Duration SHORTEST_LEASE = Duration.ofMillis(10);
  static final Duration LONGEST_LEASE = Duration.ofDays(30);
  static final Duration SHORTEST_RENEWED = Duration.ofMillis(500);
  static final Duration LONGEST_RENEWED = Duration.ofDays(1);

  /** The length of a wait without end, in nanoseconds. */
  public static final long FOREVER = Long.MAX_VALUE;

  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  /**
   * Returns the same options with a lease that is never renewed.
   *
   * @throws IllegalArgumentException if the lease is not 10 milliseconds to 30 days
   */
  public LockOptions withLease(Duration lease) {
    return new LockOptions(ownLease(lease), false, durability, allReplicas);
  }

  /** Returns the same options with this lease. */
  LockOptions lasting(long millis) {
    return new LockOptions(millis, renewed, durability, allReplicas);
  }

  /** Returns the same options with this number of replicas. */
  public LockOptions withReplicas(int replicas) {
    return new LockOptions(
        leaseMillis, renewed, new Durability(durability.localDisk(), replicas), false);
  }

  /** Returns the same options with the confirmation of all connected replicas. */
  public LockOptions withAllReplicas() {
    return new LockOptions(leaseMillis, renewed, durability, true);
  }

  /** Returns whether replicas or the disk must confirm grants and renewals. */
  public boolean isDurable() {
    return allReplicas || !durability.equals(Durability.NONE);
  }

  /**
   * Returns whether a lock may pass from holder to holder within a client without a request to the
   * server.
   */
  public boolean isPassedOn() {
    return renewed && !isDurable();
  }

  /**
   * Returns the length of a lease that is never renewed, in milliseconds.
   *
   * @throws IllegalArgumentException if the lease is not 10 milliseconds to 30 days
   */
  public static long ownLease(Duration lease) {
    return within("A lease", lease, SHORTEST_LEASE, LONGEST_LEASE).toMillis();
  }

  /**
   * Returns for how long to keep a lock after its release, in milliseconds; a negative time counts
   * as zero.
   */
  public static long keepMillis(Duration keep) {
    return keep.isNegative()
        ? 0
        : within("The time to keep a lock", keep, Duration.ZERO, LONGEST_LEASE).toMillis();
  }

  /** Returns the length of a lease that is renewed, in milliseconds. */
  public static long renewedLease(Duration lease) {
    return within("A lease that is renewed", lease, SHORTEST_RENEWED, LONGEST_RENEWED).toMillis();
  }

  /**
   * Returns the length of a wait, in nanoseconds.
   *
   * @throws IllegalArgumentException if the wait is not 0 to 365 days
   */
  public static long waitNanos(Duration wait) {
    return within("A wait", wait, Duration.ZERO, LONGEST_WAIT).toNanos();
  }

  /**
   * Returns the length of a wait from the arguments of Java's locks: a negative time counts as
   * zero, and a time above the maximum counts as the maximum.
   */
  public static Duration wait(long time, TimeUnit unit) {
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
