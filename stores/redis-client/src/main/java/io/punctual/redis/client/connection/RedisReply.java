package io.punctual.redis.client.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply, and the connection over which it arrived. Immutable.
 *
 * @param values the elements of the reply: byte[], Long, null, or a list of these
 * @param connection the connection
 */
public record RedisReply(List<@Nullable Object> values, Connection connection) {}
