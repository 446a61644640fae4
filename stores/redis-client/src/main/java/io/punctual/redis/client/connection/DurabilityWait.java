package io.punctual.redis.client.connection;

import io.punctual.Durability;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Confirms the durability of changes over a connection, by WAIT and WAITAOF. These commands cover
 * only changes of their own connection, and the server runs no other command of the connection
 * meanwhile. So a {@link Confirmer}, which asks one question at a time, has a connection of its
 * own.
 */
final class DurabilityWait {
  private static final Logger log = Logs.of(DurabilityWait.class);

  /**
   * How long a verdict of distrust holds. After this time, an operator may have corrected the
   * server's configuration.
   */
  private static final long DISTRUST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Connection connection;
  private final RedisSettings settings;

  /**
   * Whether the server confirms only changes that are on its disk; null before the first probe. A
   * new connection probes its server again, because a different server may answer after a
   * fail-over.
   */
  private volatile @Nullable Verdict verdict;

  /** The result of a probe: null if WAITAOF can be trusted, or the reason why not. */
  private record Verdict(@Nullable String why, long atNanos) {
    boolean holds() {
      return why == null || System.nanoTime() - atNanos < DISTRUST_NANOS;
    }
  }

  DurabilityWait(Connection connection, RedisSettings settings) {
    this.connection = connection;
    this.settings = settings;
  }

  /**
   * Asks whether all earlier changes over this connection are durable. If the disk has to confirm,
   * the server is probed first, unless the verdict of an earlier probe still holds.
   *
   * @param key a key that was written over the connection
   * @return null if the changes are durable, or the reason why there is no confirmation, for the
   *     user. The future fails with {@link RedisCallException} if a request failed
   */
  CompletableFuture<@Nullable String> ask(Durability durability, String key) {
    return trust(durability, key)
        .thenCompose(
            why -> why == null ? count(durability) : CompletableFuture.completedFuture(why));
  }

  private CompletableFuture<@Nullable String> trust(Durability durability, String key) {
    return durability.localDisk() ? trustDisk(key) : CompletableFuture.completedFuture(null);
  }

  /**
   * Returns the verdict of the last probe if it still holds, or else probes the server.
   *
   * @param key a key of a slot that the server serves
   * @return null if WAITAOF can be trusted, or the reason why not, for the user
   */
  private CompletableFuture<@Nullable String> trustDisk(String key) {
    Verdict known = verdict;
    if (known != null && known.holds()) {
      return CompletableFuture.completedFuture(known.why());
    }
    return DiskProbe.beside(key, connection)
        .run()
        .thenApply(
            why -> {
              if (why != null && (known == null || known.why() == null)) {
                log.warn("Changes are stored, but their durability is not confirmed: {}", why);
              }
              verdict = new Verdict(why, System.nanoTime());
              return why;
            });
  }

  private CompletableFuture<@Nullable String> count(Durability durability) {
    return connection
        .send(request(durability), settings.durabilityTimeout(durability))
        .thenApply(counts -> missing(durability, counts));
  }

  private Request request(Durability durability) {
    String replicas = Integer.toString(durability.replicas());
    String millis = Long.toString(settings.durabilityTimeout(durability).toMillis());
    return durability.localDisk()
        ? Request.of(Keyword.WAITAOF, "1", replicas, millis)
        : Request.of(Keyword.WAIT, replicas, millis);
  }

  private @Nullable String missing(Durability durability, List<@Nullable Object> counts) {
    long millis = settings.durabilityTimeout(durability).toMillis();
    long replicas = number(counts, counts.size() - 1);
    if (durability.localDisk() && number(counts, 0) < 1) {
      return "the server's disk did not confirm within "
          + millis
          + " ms; with appendfsync everysec that can take more than a second, see"
          + " durabilityTimeout";
    }
    if (replicas < durability.replicas()) {
      return String.format(
          Locale.ROOT,
          "%d of %d replicas confirmed within %d ms",
          replicas,
          durability.replicas(),
          millis);
    }
    return null;
  }

  private static long number(List<@Nullable Object> counts, int index) {
    return counts.get(index) instanceof Long count ? count : 0;
  }
}
