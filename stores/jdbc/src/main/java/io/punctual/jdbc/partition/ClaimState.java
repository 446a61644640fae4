package io.punctual.jdbc.partition;

/** The state that a claim of a queue leaves for the next claim. For a single thread at a time. */
final class ClaimState {
  /**
   * The first wait in microseconds. Claims of other processes hold their locks for about a
   * millisecond.
   */
  private static final long FIRST_LOCKED_MICROS = 20_000;

  /**
   * The longest wait in microseconds. A transaction of the application may hold its locks for
   * minutes.
   */
  private static final long LONGEST_LOCKED_MICROS = 250_000;

  private long lastToken;
  private long lockedMicros = FIRST_LOCKED_MICROS;

  /** Returns the token of the last claim, or 0. */
  long lastToken() {
    return lastToken;
  }

  void claimed(long token) {
    lastToken = token;
  }

  /**
   * Returns the time in microseconds to wait before the next claim, if other transactions have
   * locked all due messages. Each call doubles the next wait, up to 250 milliseconds.
   */
  long lockedMicros() {
    long wait = lockedMicros;
    lockedMicros = Math.min(2 * wait, LONGEST_LOCKED_MICROS);
    return wait;
  }

  /** Resets the wait, after a claim that found no locked messages. */
  void foundNoLocks() {
    lockedMicros = FIRST_LOCKED_MICROS;
  }
}
