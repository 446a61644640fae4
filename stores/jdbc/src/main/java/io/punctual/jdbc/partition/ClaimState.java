package io.punctual.jdbc.partition;

/** Facts that the claims of a queue pass on to the next claim. For a single thread at a time. */
final class ClaimState {
  /** A claim of a different process holds its locks for about a millisecond. */
  private static final long FIRST_LOCKED_MICROS = 20_000;

  /** A transaction of a user may hold its locks for minutes. */
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
   * Returns the wait of a claim in microseconds, while other transactions have locked all messages
   * that are due. Each such claim in turn waits longer.
   */
  long lockedMicros() {
    long wait = lockedMicros;
    lockedMicros = Math.min(2 * wait, LONGEST_LOCKED_MICROS);
    return wait;
  }

  /** A claim found no locked messages. */
  void foundNoLocks() {
    lockedMicros = FIRST_LOCKED_MICROS;
  }
}
