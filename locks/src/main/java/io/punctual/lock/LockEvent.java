package io.punctual.lock;

import java.time.Duration;

/** An event in the life of a lock of this process. Immutable. */
public sealed interface LockEvent {
  /** Returns the lock's kind. */
  LockKind kind();

  /** Returns the lock's name. */
  String name();

  /** A lock was acquired, after this wait; the token is 0 for kinds without. */
  record Acquired(LockKind kind, String name, long fencingToken, Duration waited)
      implements LockEvent {}

  /**
   * A lock was not acquired: other handles held it for all of the wait, or the wait was cancelled.
   */
  record NotAcquired(LockKind kind, String name, Duration waited) implements LockEvent {}

  /** A lock was released, after it was held for this time. */
  record Released(LockKind kind, String name, Duration held, ReleaseOutcome outcome)
      implements LockEvent {}

  /** A lock was lost while it was believed to be held. */
  record Lost(LockKind kind, String name, long fencingToken, Duration held, String reason)
      implements LockEvent {}
}
