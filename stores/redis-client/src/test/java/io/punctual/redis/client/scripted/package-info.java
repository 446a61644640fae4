/**
 * A scripted stand-in for the sockets of the client library. A {@link
 * io.punctual.redis.client.scripted.ScriptedClient} makes real connections of the library over
 * {@link io.punctual.redis.client.scripted.ScriptedLink}s, which a test reads and answers step by
 * step, on its own thread. Time is a {@link io.punctual.redis.client.scripted.ManualTimer}.
 */
@NullMarked
package io.punctual.redis.client.scripted;

import org.jspecify.annotations.NullMarked;
