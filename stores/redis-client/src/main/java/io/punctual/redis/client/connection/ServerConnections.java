package io.punctual.redis.client.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.punctual.Durability;
import io.punctual.timer.DueTimer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The connections to a server, opened on demand. Each durability in use has its own {@link
 * Confirmer}, so that a caller that waits only for the disk does not wait for replicas.
 * Thread-safe.
 */
public final class ServerConnections {
  private final RedisClient client;
  private final RedisURI uri;
  private final RedisSettings settings;
  private final DueTimer timer;
  private final NodeIdentity identity;
  private final Consumer<Throwable> failures;
  private final RefusalWatch refusals;
  private final ReconnectingConnection main;
  private final Subscriptions subscriptions;

  private final Map<Durability, Confirmer> confirmers = new HashMap<>();
  private boolean closed;

  /**
   * Creates the connections to a server, without opening any.
   *
   * @param identity recognizes the server behind each new connection for requests
   * @param sharded returns whether channels belong to slots, as keys do
   * @param failures receives failures of requests and of attempts to connect
   */
  public ServerConnections(
      RedisClient client,
      RedisURI uri,
      RedisSettings settings,
      DueTimer timer,
      NodeIdentity identity,
      BooleanSupplier sharded,
      Consumer<Throwable> failures) {
    this.client = client;
    this.uri = uri;
    this.settings = settings;
    this.timer = timer;
    this.identity = identity;
    this.failures = failures;
    this.refusals = new RefusalWatch(timer);
    this.main = connection();
    this.subscriptions = new Subscriptions(client, uri, timer, sharded, this::failed);
  }

  private ReconnectingConnection connection() {
    return new ReconnectingConnection(client, uri, settings, timer, identity, this::failed);
  }

  private void failed(Throwable failure) {
    if (refusals.replaces(failure)) {
      renew();
    }
    failures.accept(failure);
  }

  public ReconnectingConnection main() {
    return main;
  }

  public Subscriptions subscriptions() {
    return subscriptions;
  }

  public synchronized Confirmer confirmer(Durability durability) {
    Confirmer there = confirmers.get(durability);
    if (there == null) {
      there = new Confirmer(connection(), durability);
      confirmers.put(durability, there);
      if (closed) {
        CompletableFuture<Void> unused = there.end();
      }
    }
    return there;
  }

  /** Closes the current connections, because the server may no longer be the primary. */
  public void renew() {
    main.renew();
    synchronized (this) {
      confirmers.values().forEach(Confirmer::renew);
    }
    subscriptions.renew();
  }

  /** Closes all connections permanently; completes when they have ended. */
  public CompletableFuture<Void> end() {
    return CompletableFuture.allOf(subscriptions.end(), main.end(), endConfirmers());
  }

  private synchronized CompletableFuture<Void> endConfirmers() {
    closed = true;
    return CompletableFuture.allOf(
        confirmers.values().stream().map(Confirmer::end).toArray(CompletableFuture[]::new));
  }
}
