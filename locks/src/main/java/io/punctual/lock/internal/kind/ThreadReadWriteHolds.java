package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The read-write locks that threads of this client hold. Thread-safe. */
public final class ThreadReadWriteHolds {
  private final ConcurrentHashMap<Key, Holding> holds = new ConcurrentHashMap<>();

  private record Key(Thread thread, String name) {}

  /** A thread's read and write holds of a lock; only that thread uses this object. */
  static final class Holding {
    LockHandle handle;
    int reads;
    int writes;

    Holding(LockHandle handle) {
      this.handle = handle;
    }
  }

  private static Key mine(String name) {
    return new Key(Thread.currentThread(), name);
  }

  @Nullable Holding find(String name) {
    return holds.get(mine(name));
  }

  Holding add(String name, LockHandle handle) {
    Holding holding = new Holding(handle);
    holds.put(mine(name), holding);
    return holding;
  }

  void remove(String name) {
    holds.remove(mine(name));
  }
}
