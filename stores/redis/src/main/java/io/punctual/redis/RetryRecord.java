package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The record {@code attempts due history} of a message that was retried, released or restored with
 * earlier attempts, or that is a dead letter. Immutable.
 *
 * @param attempts the number of attempts so far
 * @param due the due time as the server stores it, or empty if there is no record, or a foreign
 *     program changed it
 * @param history the bytes that the client stored; empty if there is no record
 */
record RetryRecord(int attempts, Optional<String> due, byte[] history) {
  private static final RetryRecord NONE = new RetryRecord(0, Optional.empty(), new byte[0]);
  private static final int MOST_DIGITS = 9;

  /** Parses a record; null if the message has none. */
  static RetryRecord of(byte @Nullable [] record) {
    if (record == null) {
      return NONE;
    }
    int first = space(record, 0);
    int second = first < 0 ? -1 : space(record, first + 1);
    if (second < 0) {
      return NONE;
    }
    byte[] history = Arrays.copyOfRange(record, second + 1, record.length);
    int attempts = number(record, first);
    return attempts < 0 || second == first + 1
        ? new RetryRecord(0, Optional.empty(), history)
        : new RetryRecord(
            attempts,
            Optional.of(new String(record, first + 1, second - first - 1, ISO_8859_1)),
            history);
  }

  private static int space(byte[] record, int from) {
    for (int i = from; i < record.length; i++) {
      if (record[i] == ' ') {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns the number in the first bytes of a record, or -1 if they are not a number of 1 to 9
   * digits.
   */
  private static int number(byte[] record, int length) {
    int number = 0;
    for (int i = 0; i < length; i++) {
      int digit = record[i] - '0';
      if (digit < 0 || digit > 9 || i == MOST_DIGITS) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return length == 0 ? -1 : number;
  }
}
