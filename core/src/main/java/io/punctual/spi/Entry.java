package io.punctual.spi;

import io.punctual.State;
import org.jspecify.annotations.Nullable;

/**
 * A message as it stands in a partition, for look-ups.
 *
 * @param id its id
 * @param state its state now
 * @param content what was scheduled, or null if it can't be read
 * @param dueMillis when it is or was due, in milliseconds from 1970
 * @param attempts how often it was delivered, the delivery under way included
 * @param history what the client left with the last retry or bury; empty at first
 * @param leasedUntilMillis when its lease ends, in milliseconds from 1970; 0 if it is not leased
 * @param cancelled whether it is leased and will not come back
 * @param diedAtMillis when it was buried, in milliseconds from 1970; 0 if it is not dead
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
    long diedAtMillis) {}
