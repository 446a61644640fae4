/**
 * The Redis store: messages on a Redis or Valkey server, shared by any number of processes. {@link
 * io.punctual.redis.RedisStore} is its public type. Each call of a session is one Lua script, which
 * {@code PartitionScripts} joins from files under {@code src/main/resources}: {@code claim.lua}
 * claims messages; {@code applyfast.lua} runs most calls that consist only of schedules of new ids,
 * or only of acks; {@code apply.lua} runs the other calls of operations.
 */
@NullMarked
package io.punctual.redis;

import org.jspecify.annotations.NullMarked;
