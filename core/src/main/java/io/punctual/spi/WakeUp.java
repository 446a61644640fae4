package io.punctual.spi;

/**
 * Receives hints that a partition may have a message to claim earlier than the store reported
 * before. A hint may be lost, repeated, late or wrong.
 */
@FunctionalInterface
public interface WakeUp {
  /**
   * Receives a hint on a thread of the store, or on the thread that made the change; must not
   * block.
   *
   * @param untilNextMicros the time until there may be a message to claim, in microseconds; 0 if
   *     there may be one now or the time is unknown
   */
  void wakeUp(long untilNextMicros);
}
