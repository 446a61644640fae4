package io.punctual.redis.client.connection;

import io.punctual.Durability;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The address of a deployment, without secrets, and the options of its connections. {@code
 * RedisOptions} documents each option. Zero partitions means the default number; a null {@code
 * durabilityTimeout} means the default of {@link #durabilityTimeout(Durability)}. Immutable.
 */
public record RedisSettings(
    String url,
    String namespace,
    Durability durability,
    @Nullable Duration durabilityTimeout,
    Duration commandTimeout,
    Duration connectTimeout,
    int requestQueue,
    boolean allowEviction,
    boolean proxy,
    int partitions) {
  /**
   * The default time-out if no disk has to confirm. A replica that is available confirms within
   * milliseconds.
   */
  private static final Duration FOR_REPLICAS = Duration.ofSeconds(1);

  /**
   * The default time-out if a disk has to confirm: enough for one fsync per second, and for a
   * replica that reports its fsync up to a second later.
   */
  private static final Duration FOR_DISKS = Duration.ofSeconds(4);

  /** Returns how long to wait for this durability. */
  public Duration durabilityTimeout(Durability wanted) {
    if (durabilityTimeout != null) {
      return durabilityTimeout;
    }
    return wanted.localDisk() ? FOR_DISKS : FOR_REPLICAS;
  }
}
