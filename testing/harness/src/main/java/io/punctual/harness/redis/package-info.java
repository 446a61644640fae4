/**
 * Redis servers for tests, as processes of their own: {@link
 * io.punctual.harness.redis.RedisProcess} starts one on a free port, kills it, freezes it and
 * brings it back, with the data directory it had. The program is {@code redis-server} from the
 * path, or the one inside {@code org.signal:embedded-redis} if that is on the class path.
 */
@NullMarked
package io.punctual.harness.redis;

import org.jspecify.annotations.NullMarked;
