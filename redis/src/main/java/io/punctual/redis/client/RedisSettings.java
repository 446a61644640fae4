package io.punctual.redis.client;

import io.punctual.Durability;
import java.time.Duration;

/** What {@link RedisOptions} were told; what each is stands there. Immutable. */
public record RedisSettings(
    String namespace,
    Durability durability,
    Duration durabilityTimeout,
    Duration commandTimeout,
    Duration connectTimeout,
    int requestQueue,
    boolean allowEviction) {}
