package io.punctual.redis.client.deployment;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Confirmer;
import io.punctual.redis.client.connection.NodeIdentity;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.ServerConnections;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.DueTimer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A deployment behind a single address: a server that has all keys, which the URL or the Sentinels
 * name, or a proxy in front of several servers, which has no channels. Thread-safe.
 */
public final class OneServer implements Deployment {
  private static final Logger log = Logs.of(OneServer.class);

  private final RedisURI uri;
  private final RedisSettings settings;
  private final DueTimer timer;
  private final ServerConnections connections;
  private final PrimaryWatch watch;
  private final Consumer<CompletableFuture<Void>> ending;

  /**
   * The check that the server has passed when the store was opened; null before that, and behind a
   * proxy.
   */
  private volatile @Nullable ServerCheck check;

  /** The check of the latest primary that took over; earlier checks are obsolete. */
  private volatile @Nullable LateCheck lateCheck;

  private volatile boolean closed;

  /**
   * Creates the deployment, without a connection to the server. With Sentinels, starts to connect
   * to them.
   *
   * @param ending receives the future of the end of all connections when the deployment is closed
   */
  public OneServer(
      RedisClient client,
      RedisURI uri,
      RedisSettings settings,
      DueTimer timer,
      Consumer<CompletableFuture<Void>> ending) {
    this.uri = uri;
    this.settings = settings;
    this.timer = timer;
    this.connections =
        new ServerConnections(
            client, uri, settings, timer, NodeIdentity.ANY, () -> false, failure -> {});
    this.watch = new PrimaryWatch(client, uri, timer, this::renew);
    this.ending = ending;
  }

  private void renew() {
    connections.renew();
    ServerCheck passed = check;
    if (passed != null) {
      LateCheck next =
          new LateCheck(
              timer,
              late -> late == lateCheck && !closed,
              () -> connections.main().send(Request.of(CommandType.PING)),
              () -> checkNewPrimary(passed));
      lateCheck = next;
      next.later();
    }
  }

  private void checkNewPrimary(ServerCheck check) {
    if (check.isReplica()) {
      throw new StoreUnavailableException(
          describe() + " is a replica, as long as the fail-over is in progress", null);
    }
    ServerCheck.Found unused = check.run();
    check.checkRights();
  }

  /** Checks that the server can be used. A proxy only has to reply. */
  public void check(@Nullable RightsProbe rights) {
    ServerCheck check =
        new ServerCheck(describe(), settings, connections.main(), key -> true, rights);
    if (settings.proxy()) {
      check.ping();
      return;
    }
    if (check.run().isClusterNode()) {
      throw new StoreRefusedException(
          describe() + " is a node of a Cluster; name it with redis-cluster://host:port", null);
    }
    try {
      check.checkRights();
    } catch (StoreUnavailableException notNow) {
      // While a server loads its data, it replies to INFO but runs no script. The store opens
      // nevertheless, and its calls fail until the server has loaded its data.
      log.warn("{}. The rights of its user could not be checked", notNow.getMessage());
    }
    this.check = check;
  }

  @Override
  public RedisSettings settings() {
    return settings;
  }

  @Override
  public DueTimer timer() {
    return timer;
  }

  @Override
  public boolean isOneServer() {
    return !settings.proxy();
  }

  @Override
  public boolean hasFailOver() {
    return !uri.getSentinels().isEmpty();
  }

  @Override
  public boolean hasChannels() {
    return !settings.proxy();
  }

  @Override
  public boolean hasShardedChannels() {
    return false;
  }

  @Override
  public ReconnectingConnection link(byte[] key) {
    return connections.main();
  }

  @Override
  public Confirmer confirmer(byte[] key, Durability durability) {
    return connections.confirmer(durability);
  }

  @Override
  public ChannelSubscription subscribe(String channel, Subscriber subscriber) {
    return hasChannels() ? connections.subscriptions().add(channel, subscriber) : () -> {};
  }

  @Override
  public void close() {
    closed = true;
    ending.accept(CompletableFuture.allOf(watch.end(), connections.end()));
  }
}
