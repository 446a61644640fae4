package io.punctual.server.jetty;

import java.util.HashMap;
import java.util.Map;

/**
 * The bytes of the bodies of requests, within a bound. One caller gets at most three quarters, so
 * that the others are served beside one who sends much. Thread-safe.
 */
final class BodyMemory {
  private final long most;
  private final Map<String, Long> byCaller = new HashMap<>();
  private long used;

  BodyMemory(long most) {
    this.most = most;
  }

  /**
   * Takes memory, if there is some.
   *
   * @param caller who sends the body; empty if it is not known
   */
  synchronized boolean take(String caller, long bytes) {
    long ofCaller = byCaller.getOrDefault(caller, 0L) + bytes;
    boolean isShare = caller.isEmpty() || ofCaller <= most - most / 4;
    if (used + bytes > most || !isShare) {
      return false;
    }
    used += bytes;
    byCaller.put(caller, ofCaller);
    return true;
  }

  /** Gives memory back. */
  synchronized void give(String caller, long bytes) {
    used -= bytes;
    byCaller.computeIfPresent(caller, (name, all) -> all == bytes ? null : all - bytes);
  }
}
