package io.punctual.redis;

import io.punctual.redis.client.RedisUrl;
import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.util.Set;

/**
 * Opens the URLs of Redis deployments, such as {@code redis://host:port} and {@code
 * redis-cluster://host,host}, as a {@link RedisStore}. Stateless, so safe for use by many threads.
 */
public final class RedisStoreProvider implements StoreProvider {
  /** Called by {@link java.util.ServiceLoader}. */
  public RedisStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return RedisUrl.schemes();
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    return RedisStore.builder().timer(timer).url(url).open();
  }
}
