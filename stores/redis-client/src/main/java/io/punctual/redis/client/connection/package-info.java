/**
 * The connections to a server. {@link io.punctual.redis.client.connection.ServerConnections} has
 * all connections to one server, for calls, for channels, and for the confirmation of durability.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>connections: {@code ReconnectingConnection} opens a {@code Connection} by {@code
 *       Connecting}, with the pauses of {@code ConnectBackoff}; {@code RedisSettings} has the
 *       options, and {@code RedisReply} is a reply;
 *   <li>channels: {@code Subscriptions}, {@code Subscriber}, {@code ChannelSubscription};
 *   <li>durability: a {@code Confirmer} asks for all callers, and a {@code Witness} proves that the
 *       server has a change; {@code DurabilityWait} asks over one connection, and {@code DiskProbe}
 *       tests whether the server's replies can be trusted, with {@code ServerInfo}.
 * </ul>
 */
@NullMarked
package io.punctual.redis.client.connection;

import org.jspecify.annotations.NullMarked;
