package io.punctual.lock.internal.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The waits of a client that end when the client is closed. Thread-safe. */
public final class OpenWaits {
  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A wait, for example for a latch. */
  public interface Wait {
    /** Ends the wait because the locks are closed. */
    void close();
  }

  /** Adds a wait. If the client is closed, ends the wait and returns false. */
  public boolean enter(Wait wait) {
    waits.add(wait);
    if (closed) {
      wait.close();
      return false;
    }
    return true;
  }

  /** Removes a wait that has ended. */
  public void leave(Wait wait) {
    waits.remove(wait);
  }

  /** Ends all waits, and every later wait. */
  public void close() {
    closed = true;
    waits.forEach(Wait::close);
  }
}
