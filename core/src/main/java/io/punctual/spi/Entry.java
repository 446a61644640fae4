package io.punctual.spi;

import io.punctual.State;
import org.jspecify.annotations.Nullable;

/**
 * A message of a partition, as look-ups return it.
 *
 * @param id the message's id
 * @param state the state at the look-up
 * @param content the scheduled content, or null if it is unreadable, was not requested, or the
 *     message is finished
 * @param dueMillis the due time, in milliseconds from 1970; of a finished message, the time at
 *     which the store forgets the id
 * @param attempts the number of deliveries since the last redrive or repeat, including the current
 *     delivery; released deliveries do not count
 * @param history the bytes that the client stored with the last retry or bury; empty before, and
 *     after a redrive or a repeat
 * @param leasedUntilMillis the end of the lease, in milliseconds from 1970; 0 if the message is not
 *     leased, or the store does not know the end
 * @param cancelled whether the message is leased and was cancelled, so that it is not delivered
 *     again
 * @param diedAtMillis the time of the burial, in milliseconds from 1970; 0 if the message is not
 *     dead
 * @param holder the id of the session that claimed the message, or null if the message is not
 *     leased, or the store does not know the session
 */
public record Entry(
    String id,
    State state,
    @Nullable Content content,
    long dueMillis,
    int attempts,
    byte[] history,
    long leasedUntilMillis,
    boolean cancelled,
    long diedAtMillis,
    @Nullable String holder) {}
