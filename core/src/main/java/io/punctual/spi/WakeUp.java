package io.punctual.spi;

/**
 * Listens for hints that a lane's next message is due earlier than was last said. Only a hint: it
 * may be lost, come twice, late, or for nothing.
 */
@FunctionalInterface
public interface WakeUp {
  /**
   * Called on a thread of the store, or of whoever made the change; must not block.
   *
   * @param untilNextMicros how long until something is due, in microseconds; 0 for "now" and for
   *     "unknown"
   */
  void wakeUp(long untilNextMicros);

  /**
   * Called when another client has taken what was due next, so that a claim at that time would find
   * nothing. Whoever waits may wait for this time instead, unless it has asked meanwhile; a store
   * that calls this calls {@link #wakeUp} for whatever becomes due earlier afterwards.
   *
   * @param untilNextMicros how long until something is due, in microseconds, or {@link Reply#NONE}
   */
  default void postponed(long untilNextMicros) {}
}
