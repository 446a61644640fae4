package io.punctual.internal;

/** Waits for something to be due in a lane. */
interface Wakeable {
  /**
   * Something may be due so long from now, in microseconds, at the latest; 0 for now, and {@link
   * io.punctual.spi.Reply#NONE} for nothing. Must not block.
   */
  void wake(long untilNextMicros);

  /**
   * Others have taken what was due; nothing is before so long from now. Whoever can't wait longer
   * than it meant to, need not. Must not block.
   */
  default void postpone(long untilNextMicros) {}
}
