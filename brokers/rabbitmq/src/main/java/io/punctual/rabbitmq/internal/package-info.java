/**
 * The connections of the bridge, the intake and the delay queue. Not exported, and without an arrow
 * to the packages above.
 *
 * <ul>
 *   <li>connections: {@code Endpoint} is where and how to connect, and has the {@code Outage} of
 *       all its {@code Connector}s; {@code VerifiedTls};
 *   <li>publishing: {@code ConfirmedPublisher} sends each {@code Outgoing} of its {@code Outbox} on
 *       a {@code ConfirmedChannel}; a failure is an {@code UnconfirmedException}.
 * </ul>
 */
@org.jspecify.annotations.NullMarked
package io.punctual.rabbitmq.internal;
