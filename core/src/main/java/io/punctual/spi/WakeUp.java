package io.punctual.spi;

/**
 * Listens for hints that a partition's next message is due earlier than was last said. Only a hint:
 * it may be lost, come twice, late, or for nothing.
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
}
