package io.punctual.journal.format;

/**
 * The state of a message in a state record, without its history.
 *
 * @param sequence the message's number
 * @param hash the hash of the message's id
 * @param isDead whether it is a dead letter; otherwise it waits
 * @param dueMillis the due time
 * @param diedAtMillis the time at which the message was buried, 0 if it was not
 * @param attempts the number of attempts
 * @param token the token of the last lease that ended before this record, 0 if there was none
 */
public record MessageState(
    long sequence,
    int hash,
    boolean isDead,
    long dueMillis,
    long diedAtMillis,
    int attempts,
    long token) {
  /** The history of a message that never failed. */
  public static final byte[] NO_HISTORY = {};
}
