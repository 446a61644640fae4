package io.punctual.server.jetty;

import java.util.HashMap;
import java.util.Map;

/**
 * The bytes of the bodies of requests, within a bound. All bodies of one caller get at most three
 * quarters, so that the others are served beside one who sends much; the only body of a caller may
 * take all that is free. Thread-safe.
 */
final class BodyMemory {
  private final long most;
  private final Map<String, Long> byCaller = new HashMap<>();
  private long used;

  BodyMemory(long most) {
    this.most = most;
  }

  /**
   * Takes memory for a body, if there is some.
   *
   * @param caller who sends the body; empty if it is not known
   * @param before what the body has
   * @param bytes what it needs
   */
  synchronized boolean take(String caller, long before, long bytes) {
    long others = byCaller.getOrDefault(caller, 0L) - before;
    boolean isShare = caller.isEmpty() || others == 0 || others + bytes <= most - most / 4;
    long more = bytes - before;
    if (used + more > most || !isShare) {
      return false;
    }
    used += more;
    byCaller.put(caller, others + bytes);
    return true;
  }

  /** Gives memory back. */
  synchronized void give(String caller, long bytes) {
    used -= bytes;
    byCaller.computeIfPresent(caller, (name, all) -> all == bytes ? null : all - bytes);
  }
}
