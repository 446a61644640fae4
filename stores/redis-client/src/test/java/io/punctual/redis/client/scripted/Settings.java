package io.punctual.redis.client.scripted;

import io.punctual.Durability;
import io.punctual.redis.client.connection.RedisSettings;
import java.time.Duration;

/** Settings of connections: time-outs of five seconds, and room for three requests. */
public final class Settings {
  /** The number of requests that may wait on a connection. */
  public static final int REQUESTS = 3;

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private Settings() {}

  /** Returns settings without a durability. */
  public static RedisSettings plain() {
    return of(Durability.NONE, null, TIMEOUT, false, false);
  }

  /** Returns settings with a durability and its time-out. */
  public static RedisSettings durable(Durability durability, Duration durabilityTimeout) {
    return of(durability, durabilityTimeout, TIMEOUT, false, false);
  }

  /** Returns settings with this time-out of connecting and of requests. */
  public static RedisSettings hasty(Duration timeout) {
    return of(Durability.NONE, null, timeout, false, false);
  }

  /** Returns settings that allow eviction. */
  public static RedisSettings evicting() {
    return of(Durability.NONE, null, TIMEOUT, true, false);
  }

  public static RedisSettings proxy() {
    return of(Durability.NONE, null, TIMEOUT, false, true);
  }

  private static RedisSettings of(
      Durability durability,
      Duration durabilityTimeout,
      Duration timeout,
      boolean allowEviction,
      boolean proxy) {
    return new RedisSettings(
        "redis://localhost:6379",
        "punctual",
        durability,
        durabilityTimeout,
        timeout,
        timeout,
        REQUESTS,
        allowEviction,
        proxy,
        0);
  }
}
