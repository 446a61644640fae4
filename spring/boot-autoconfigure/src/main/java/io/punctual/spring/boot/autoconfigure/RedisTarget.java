package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.RedisURI;
import io.punctual.spi.StoreUrl;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * A Redis deployment, given as a URL or as addresses.
 *
 * @param url a URL of the Redis store, or null if the addresses apply
 * @param addresses a server, the URI of all Sentinels, or the nodes of a Cluster; empty if there is
 *     a URL
 * @param cluster whether the addresses are nodes of a Cluster
 * @param bundle the SSL bundle, or null for the JVM's trust store
 */
record RedisTarget(
    @Nullable String url, List<RedisURI> addresses, boolean cluster, @Nullable SslBundle bundle) {

  static RedisTarget of(String url, @Nullable SslBundle bundle) {
    if (bundle != null && !StoreUrl.parse(url).scheme().startsWith("rediss")) {
      throw new IllegalArgumentException(
          "An SSL bundle is configured, but the URL of the store begins with '"
              + url.substring(0, url.indexOf(':') + 1)
              + "'; use rediss:, or remove punctual.redis.ssl.bundle");
    }
    return new RedisTarget(url, List.of(), false, bundle);
  }
}
