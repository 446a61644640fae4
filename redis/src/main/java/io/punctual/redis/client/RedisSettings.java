package io.punctual.redis.client;

import io.punctual.Durability;
import java.time.Duration;

/**
 * What {@link RedisOptions} were told; what each is stands there. No lanes means as many as are
 * usual. Immutable.
 */
public record RedisSettings(
    String namespace,
    Durability durability,
    Duration durabilityTimeout,
    Duration commandTimeout,
    Duration connectTimeout,
    int requestQueue,
    boolean allowEviction,
    boolean proxy,
    int lanes) {}
