package io.punctual.lock;

/** The kinds of locks as they are kept on a server: locks of different kinds do not meet. */
public enum LockKind {
  /** Mutex, fair and reentrant locks, which are one lock if they have the same name. */
  MUTEX("mutex"),
  /** Read-write locks. */
  READ_WRITE("readwrite"),
  /** Semaphores. */
  SEMAPHORE("semaphore"),
  /** Simple token locks. */
  SIMPLE("simple"),
  /** One server's part of quorum locks. */
  QUORUM("quorum");

  private final String key;

  LockKind(String key) {
    this.key = key;
  }

  /** The prefix of the names of its keys, after the hash tag. */
  String key() {
    return key;
  }

  /** Whether its locks are kept by the scripts with a waiting line. */
  boolean hasLine() {
    return this == MUTEX || isShared();
  }

  /** Whether several can hold one at the same time. */
  boolean isShared() {
    return this == READ_WRITE || this == SEMAPHORE;
  }
}
