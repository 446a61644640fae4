package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Returns a Redis deployment, or null if this source knows no deployment. */
@FunctionalInterface
interface RedisTargetSource {
  @Nullable RedisTarget target();
}
