package io.punctual.lock;

/** The kinds of locks on a server. Locks of different kinds with the same name are independent. */
public enum LockKind {
  /** Mutex, fair and reentrant locks, which are the same lock if they have the same name. */
  MUTEX,
  /** Read-write locks. */
  READ_WRITE,
  /** Semaphores. */
  SEMAPHORE,
  /** The parts of quorum locks, one on each server of a quorum. */
  QUORUM
}
