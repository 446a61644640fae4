/**
 * The connections to Redis that the store and the locks share. {@link
 * io.punctual.redis.client.RedisOptions} names a deployment and its options; a {@link
 * io.punctual.redis.client.Deployment} holds the connections, which are opened on demand and again
 * after they are lost. No request is sent twice, and the requests of each caller stay in order. A
 * caller that needs an effect exactly once numbers its calls.
 */
@NullMarked
package io.punctual.redis.client;

import org.jspecify.annotations.NullMarked;
