package io.punctual;

import java.time.Duration;

/**
 * The figures of one {@link Worker} since its start. The worker updates the figures one after
 * another, so two figures can differ by a few messages. Immutable.
 *
 * @param handled messages whose handler has ended, with or without a failure
 * @param failed attempts that failed, for example because the handler threw or exceeded its
 *     time-out, or because the payload could not be decoded
 * @param buried messages that this worker has buried, confirmed by the store
 * @param running calls of the handler that run now
 * @param lateness the lateness of the message that a handler received last, or zero before the
 *     first message
 * @param maxLateness the greatest lateness of a message that a handler received, or zero before the
 *     first message
 */
public record WorkerStats(
    long handled, long failed, long buried, int running, Duration lateness, Duration maxLateness) {}
