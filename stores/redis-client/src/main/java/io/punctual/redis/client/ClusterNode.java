package io.punctual.redis.client;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The connections to a node of a Cluster, opened on demand. Thread-safe. */
final class ClusterNode {
  private final NodeAddress address;
  private final ReconnectingConnection main;
  private final ReconnectingConnection durable;
  private final Confirmers confirmers;
  private final Subscriptions subscriptions;

  ClusterNode(
      NodeAddress address,
      RedisClient client,
      RedisURI uri,
      RedisSettings settings,
      DueTimer timer,
      List<Script> scripts,
      BooleanSupplier sharded,
      Consumer<Throwable> failures) {
    this.address = address;
    this.main = new ReconnectingConnection(client, uri, settings, timer, scripts, failures);
    this.durable = new ReconnectingConnection(client, uri, settings, timer, scripts, failures);
    this.confirmers =
        new Confirmers(
            () ->
                new ReconnectingConnection(
                    client, uri, settings, timer, Confirmer.SCRIPTS, failures));
    this.subscriptions = new Subscriptions(client, uri, timer, sharded, failures);
  }

  NodeAddress address() {
    return address;
  }

  ReconnectingConnection main() {
    return main;
  }

  ReconnectingConnection durable() {
    return durable;
  }

  Confirmers confirmers() {
    return confirmers;
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  /** Closes the connections; completes when they have ended. */
  CompletableFuture<Void> end() {
    return CompletableFuture.allOf(
        subscriptions.end(), main.end(), durable.end(), confirmers.end());
  }
}
