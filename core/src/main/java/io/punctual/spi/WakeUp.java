package io.punctual.spi;

/**
 * Receives hints that the next message of a partition is due earlier than the store reported
 * before. A hint may be lost, repeated, late or wrong.
 */
@FunctionalInterface
public interface WakeUp {
  /**
   * Receives a hint on a thread of the store, or on the thread that made the change; must not
   * block.
   *
   * @param untilNextMicros the time until the next message is due, in microseconds; 0 if it is due
   *     now or the time is unknown
   */
  void wakeUp(long untilNextMicros);
}
