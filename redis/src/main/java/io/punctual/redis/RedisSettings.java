package io.punctual.redis;

import io.punctual.Durability;
import java.time.Duration;

/** What a {@link RedisStoreBuilder} was told; what each is stands there. */
record RedisSettings(
    String namespace,
    Durability durability,
    Duration durabilityTimeout,
    Duration commandTimeout,
    Duration connectTimeout,
    int requestQueue,
    boolean allowEviction) {}
