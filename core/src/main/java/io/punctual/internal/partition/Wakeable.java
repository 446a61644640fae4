package io.punctual.internal.partition;

/** Waits for something to be due in a partition. */
public interface Wakeable {
  /**
   * Something may be due so long from now, in microseconds, at the latest; 0 for now, and {@link
   * io.punctual.spi.Reply#NONE} for nothing. Must not block.
   */
  void wake(long untilNextMicros);
}
