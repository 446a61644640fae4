package io.punctual.httpstore.wire;

/**
 * A hint that a partition may have a message to claim.
 *
 * @param untilNextMicros as in {@link io.punctual.spi.WakeUp#wakeUp}, from the answer on
 */
public record Hint(Place place, long untilNextMicros) {}
