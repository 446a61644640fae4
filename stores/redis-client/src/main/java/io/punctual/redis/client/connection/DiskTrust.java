package io.punctual.redis.client.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers whether the server behind a connection confirms only changes that are on its disk. Each
 * new connection probes its server again, because a different server may answer after a fail-over.
 * For a single caller at a time.
 */
final class DiskTrust {
  private static final Logger log = LoggerFactory.getLogger(DiskTrust.class);

  /**
   * How long a negative result is valid. After this time, an operator may have corrected the
   * server's configuration.
   */
  private static final long DISTRUST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Connection connection;
  private volatile @Nullable Verdict verdict;

  /** The result of a probe: null if WAITAOF can be trusted, or the reason why not. */
  private record Verdict(@Nullable String why, long atNanos) {
    boolean holds() {
      return why == null || System.nanoTime() - atNanos < DISTRUST_NANOS;
    }
  }

  DiskTrust(Connection connection) {
    this.connection = connection;
  }

  /**
   * Returns the result of the last probe if it is still valid, or else probes the server.
   *
   * @param key a key of a slot that the server serves
   * @return null if WAITAOF can be trusted, or the reason why not, for the user
   */
  CompletableFuture<@Nullable String> ask(String key) {
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
}
