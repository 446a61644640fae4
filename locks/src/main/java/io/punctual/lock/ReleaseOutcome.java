package io.punctual.lock;

/** The outcome of a release. */
public enum ReleaseOutcome {
  /** The lock was held until now, and is released. */
  RELEASED,

  /** The owner entered the lock more than once, and still holds it. */
  STILL_HELD,

  /**
   * The lock was lost before, for example because its lease had ended or it was released by force.
   */
  LOST,

  /**
   * The server did not confirm the release in time, or replied only to a repeated request that no
   * longer found the lock. The lock is released, was lost before, or ends with its lease at the
   * latest. After {@link LockHandle#releaseAfter}, this outcome can also mean that too few replicas
   * confirmed the change.
   */
  UNCONFIRMED
}
