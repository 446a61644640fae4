package io.punctual.journal.format;

import org.jspecify.annotations.Nullable;

/** The types of records. The first byte of a record is the code of its type. */
public enum RecordType {
  /** A message was added. */
  MESSAGE(1, 9 + 22 + 4),
  /** A message replaced a message with the same id. */
  REPLACEMENT(2, 9 + 34 + 4),
  /**
   * A message was rescheduled, waits again, has become a dead letter, or was finished and its id is
   * remembered. The record has the whole new state of the message, but not its content.
   */
  STATE(3, 9 + 45 + 4),
  /**
   * A message was removed, or was cancelled during a lease, so that it will not become due again.
   */
  REMOVAL(4, 9 + 16),
  /** A queue has got a number; the record has the name of the queue. */
  QUEUE(5, 9 + 1 + 4),
  /** Whether a queue is paused. */
  PAUSED(6, 9 + 1),
  /**
   * Upper bounds of the sequence numbers that the journal has assigned so far, and of the tokens
   * that it may assign before the next such record.
   */
  MARKS(7, 9 + 16),
  /** The segment ends here. */
  FOOTER(8, 9),
  /** A queue was deleted. */
  DELETED(9, 9),
  /** The limits of a queue. */
  LIMITS(10, 9 + 20),
  /** The note of a queue's pause. */
  PAUSE_NOTE(11, 9 + 1);

  /** The length in bytes of the prefix that every record begins with: type, length, queue. */
  public static final int PREFIX = 9;

  private static final RecordType[] BY_CODE = values();

  private final byte code;
  private final int leastLength;

  RecordType(int code, int leastLength) {
    this.code = (byte) code;
    this.leastLength = leastLength;
  }

  /** Returns the minimum length in bytes of a record of this type. */
  public int leastLength() {
    return leastLength;
  }

  byte code() {
    return code;
  }

  public static @Nullable RecordType of(byte code) {
    return code >= 1 && code <= BY_CODE.length ? BY_CODE[code - 1] : null;
  }
}
