/**
 * Redis servers for tests, each in its own process. {@link io.punctual.kit.redis.RedisProcess}
 * starts a server on a free port, kills it, freezes it, and restarts it with its data. The program
 * is the embedded program of {@code org.signal:embedded-redis} if that is on the class path and has
 * a program for this machine, otherwise {@code redis-server} or {@code valkey-server} from the
 * variable {@code PATH}.
 */
@NullMarked
package io.punctual.kit.redis;

import org.jspecify.annotations.NullMarked;
