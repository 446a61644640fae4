/**
 * The Redis store: messages on a Redis or Valkey server, shared by any number of processes. {@link
 * io.punctual.redis.RedisStore} is its public type. Each call is one Lua script, which {@code
 * PartitionScripts} joins from files under {@code src/main/resources}: {@code claim.lua} claims
 * messages, {@code operations.lua} makes schedules of new ids and acks, and {@code apply.lua} makes
 * all other changes.
 */
@NullMarked
package io.punctual.redis;

import org.jspecify.annotations.NullMarked;
