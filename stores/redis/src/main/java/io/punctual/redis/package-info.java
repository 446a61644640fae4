/**
 * The Redis store: messages on a Redis or Valkey server, shared by any number of processes. {@link
 * io.punctual.redis.RedisStore} is its public type. Each change of a message's state is one Lua
 * script, stored beside these classes.
 */
@NullMarked
package io.punctual.redis;

import org.jspecify.annotations.NullMarked;
