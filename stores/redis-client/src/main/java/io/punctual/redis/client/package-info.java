/**
 * How everything in this module talks to Redis: {@link io.punctual.redis.client.RedisOptions} says
 * which deployment is meant and how to reach it, a {@link io.punctual.redis.client.Deployment} is
 * the connections to it, made when they are needed and again when they were lost. Nothing here ever
 * sends a request twice or changes the order of those of one caller; whoever wants an effect
 * exactly once numbers what it sends.
 */
@NullMarked
package io.punctual.redis.client;

import org.jspecify.annotations.NullMarked;
