package io.punctual.lock;

import java.time.Duration;

/** An acquisition, a failed attempt, a release or a loss of a lock in this process. Immutable. */
public sealed interface LockEvent {
  /** Returns the lock's kind. */
  LockKind kind();

  /** Returns the lock's name. */
  String name();

  /**
   * A lock was acquired, after a wait of this length. The fencing token is 0 for kinds without
   * tokens.
   */
  record Acquired(LockKind kind, String name, long fencingToken, Duration waited)
      implements LockEvent {}

  /**
   * A lock was not acquired: other handles held it during the whole wait, or the attempt was
   * cancelled or failed.
   */
  record NotAcquired(LockKind kind, String name, Duration waited) implements LockEvent {}

  /** A lock was released, after it had been held for this time. */
  record Released(LockKind kind, String name, Duration held, ReleaseOutcome outcome)
      implements LockEvent {}

  /** A lock was lost before its release. */
  record Lost(LockKind kind, String name, long fencingToken, Duration held, String reason)
      implements LockEvent {}
}
