/**
 * The requests to a server: Lua scripts and commands, and the failures of requests. A {@link
 * io.punctual.redis.client.request.RedisCallException} shows whether the server may have run the
 * request.
 */
@NullMarked
package io.punctual.redis.client.request;

import org.jspecify.annotations.NullMarked;
