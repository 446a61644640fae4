package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Names a Redis deployment, or null if it knows none. */
@FunctionalInterface
interface RedisTargetSource {
  @Nullable RedisTarget target();
}
