package io.punctual.lock;

/** The kinds of locks on a server. Locks of different kinds with the same name are independent. */
public enum LockKind {
  /** Mutex, fair and reentrant locks, which are the same lock if they have the same name. */
  MUTEX("mutex"),
  /** Read-write locks. */
  READ_WRITE("readwrite"),
  /** Semaphores. */
  SEMAPHORE("semaphore"),
  /** Simple token locks. */
  SIMPLE("simple"),
  /** The locks on a single server that are part of quorum locks. */
  QUORUM("quorum");

  private final String key;

  LockKind(String key) {
    this.key = key;
  }

  /** Returns the part of a key's name that follows the hash tag, and names the kind. */
  String key() {
    return key;
  }

  /** Returns whether locks of this kind have a line of waiters on the server. */
  boolean hasLine() {
    return this == MUTEX || isShared();
  }

  /** Returns whether several handles can hold the lock at the same time. */
  boolean isShared() {
    return this == READ_WRITE || this == SEMAPHORE;
  }
}
