package io.punctual.internal.partition;

/** A worker or a manual claim that waits for messages to become due in a partition. */
public interface Wakeable {
  /**
   * Reports the time until a message may become due, in microseconds; 0 for now, and {@link
   * io.punctual.spi.Reply#NONE} if no message waits. Must not block.
   */
  void wake(long untilNextMicros);
}
