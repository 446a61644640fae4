package io.punctual.journal.format;

import io.punctual.embedded.Place;

/**
 * The state of a message in a state record, without its history.
 *
 * @param sequence the message's number
 * @param hash the hash of the message's id
 * @param place {@link Place#WAITING}, {@link Place#DEAD} or {@link Place#FINISHED}
 * @param dueMillis the due time; of a finished message, the time at which its id is forgotten
 * @param diedAtMillis the time at which the message became a dead letter, 0 if it is none
 * @param attempts the number of attempts
 * @param token the token of the last lease that ended before or with this record, 0 if there was
 *     none
 */
public record MessageState(
    long sequence,
    int hash,
    Place place,
    long dueMillis,
    long diedAtMillis,
    int attempts,
    long token) {
  /** The history of a message that never failed. */
  public static final byte[] NO_HISTORY = {};

  /** Returns the byte for the place in records and hints. */
  byte code() {
    return switch (place) {
      case WAITING -> 0;
      case DEAD -> 1;
      case FINISHED -> 2;
      case FREE, LEASED -> throw new IllegalStateException("No record has the place " + place);
    };
  }

  /** Returns the place with a code; an unknown code, which no version writes, means waiting. */
  static Place place(byte code) {
    return code == 1 ? Place.DEAD : code == 2 ? Place.FINISHED : Place.WAITING;
  }

  /** Returns the time of the message, as {@link Place} defines it. */
  public long time() {
    return place == Place.DEAD ? diedAtMillis : dueMillis;
  }
}
