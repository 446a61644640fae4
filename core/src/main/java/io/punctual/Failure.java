package io.punctual;

import java.time.Instant;

/**
 * A failed attempt of a message, as the store keeps it.
 *
 * @param attempt the number of the attempt, from 1
 * @param at when the attempt failed, by the client's estimate of the store's clock
 * @param error the class and message of the exception and of its causes, or the reason of {@link
 *     Delivery#retry}; cut to a few hundred characters
 */
public record Failure(int attempt, Instant at, String error) {}
