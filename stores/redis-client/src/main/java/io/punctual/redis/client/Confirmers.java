package io.punctual.redis.client;

import io.punctual.Durability;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The {@link Confirmer}s of a server. Each durability in use has its own confirmer, so that
 * replicas that do not reply delay no caller that waits only for the disk. Thread-safe.
 */
final class Confirmers {
  private final Supplier<ReconnectingConnection> links;
  private final Map<Durability, Confirmer> all = new HashMap<>();
  private boolean closed;

  /**
   * Creates the collection, without a confirmer.
   *
   * @param links returns a connection for each new confirmer
   */
  Confirmers(Supplier<ReconnectingConnection> links) {
    this.links = links;
  }

  synchronized Confirmer of(Durability durability) {
    Confirmer there = all.get(durability);
    if (there == null) {
      there = new Confirmer(links.get(), durability);
      all.put(durability, there);
      if (closed) {
        CompletableFuture<Void> unused = there.end();
      }
    }
    return there;
  }

  synchronized void renew() {
    all.values().forEach(Confirmer::renew);
  }

  /** Closes all confirmers; completes when their connections have ended. */
  synchronized CompletableFuture<Void> end() {
    closed = true;
    return CompletableFuture.allOf(
        all.values().stream().map(Confirmer::end).toArray(CompletableFuture[]::new));
  }
}
