package io.punctual.rabbitmq;

/**
 * The figures of a {@link RabbitIntake} on the way from RabbitMQ to the store. The counts begin
 * with zero when the intake starts. {@link RabbitIntake#stats} has the figures of the way back.
 *
 * @param stored the number of messages that were stored
 * @param unacked the number of messages that have arrived and are not acked now
 * @param unackedBytes the size of their bodies
 * @param failed how many of the unacked messages could not be stored or moved at their last try,
 *     and are tried again
 * @param duplicates the number of messages that were dropped because they repeat a stored message
 * @param renamed the number of messages that were stored under a longer id, because a different
 *     message has their {@code message-id}, or a copy that was just delivered
 * @param refused the number of messages that were moved to the queue for refused messages
 */
public record IntakeStats(
    long stored,
    long unacked,
    long unackedBytes,
    long failed,
    long duplicates,
    long renamed,
    long refused) {}
