package io.punctual;

import java.time.Instant;

/**
 * One failed attempt of a message, as it is kept with it.
 *
 * @param attempt which attempt it was, from 1
 * @param at when, by the store's clock
 * @param error the class and message of the exception and of its causes, cut to a few hundred
 *     characters
 */
public record Failure(int attempt, Instant at, String error) {}
