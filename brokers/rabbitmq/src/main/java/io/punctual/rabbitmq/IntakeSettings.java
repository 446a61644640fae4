package io.punctual.rabbitmq;

/**
 * The settings of an intake.
 *
 * @param declares whether the intake declares its exchanges and queues
 * @param prefetch how many messages of a queue may be unacked, 1 to 65,535
 * @param usesMessageIds whether the property {@code message-id} becomes the id
 */
record IntakeSettings(
    IntakeTopology topology, boolean declares, int prefetch, boolean usesMessageIds) {}
