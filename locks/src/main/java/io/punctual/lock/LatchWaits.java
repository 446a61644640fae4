package io.punctual.lock;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The waits of a client for latches. They end when the client is closed. Thread-safe. */
final class LatchWaits {
  private final Set<LatchWait> waits = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Adds a wait; returns false if the client is closed. */
  boolean enter(LatchWait wait) {
    waits.add(wait);
    return !closed;
  }

  void leave(LatchWait wait) {
    waits.remove(wait);
  }

  void close() {
    closed = true;
    waits.forEach(LatchWait::close);
  }
}
