/**
 * The Redis store: messages on a Redis or Valkey server, shared by any number of processes. {@link
 * io.punctual.redis.RedisStore} is what a user names; each change of a message's state is one Lua
 * script on the server, found beside these classes.
 */
@NullMarked
package io.punctual.redis;

import org.jspecify.annotations.NullMarked;
