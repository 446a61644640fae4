package io.punctual.lock;

/** The outcome of a release. */
public enum ReleaseOutcome {
  /** The lock was held until now, and is released. */
  RELEASED,

  /** The owner entered the lock more than once, and still holds it. */
  STILL_HELD,

  /** The lock was lost before: its lease had run out, or it was force-released. */
  LOST,

  /**
   * The server did not answer, or only a repeated request: the lock is released or was lost before.
   * It ends with its lease at the latest.
   */
  UNCONFIRMED
}
