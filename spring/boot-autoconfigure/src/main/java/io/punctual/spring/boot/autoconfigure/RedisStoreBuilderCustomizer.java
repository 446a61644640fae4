package io.punctual.spring.boot.autoconfigure;

import io.punctual.redis.RedisStoreBuilder;

/** A bean that changes the builder of the Redis store, after the properties were applied. */
@FunctionalInterface
public interface RedisStoreBuilderCustomizer {
  /** Changes the builder. */
  void customize(RedisStoreBuilder builder);
}
