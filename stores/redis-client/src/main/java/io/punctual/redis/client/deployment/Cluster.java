package io.punctual.redis.client.deployment;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.PunctualException;
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
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A Redis Cluster: the connections to each primary, and the map from slots to primaries.
 *
 * <p>This class follows no redirect. A node that refuses a slot (MOVED, ASK, TRYAGAIN, CLUSTERDOWN)
 * has not run the request. So the request fails, the map is corrected, and the caller decides which
 * requests to send again, and in which order. This class does not follow ASK because a script needs
 * all of its keys on the same node; requests fail until the slot has moved as a whole.
 *
 * <p>MOVED corrects the slot at once. MOVED and all other failures, except refusals and missing
 * scripts, also start a refresh of the whole map, at most every 100 ms: the client asks the nodes
 * one after the other until a node of this Cluster replies. Connections to nodes that serve no slot
 * any more are closed, so that no caller waits there for replies.
 *
 * <p>The lock, {@code this}, guards the nodes and changes of the map. It is not held during calls
 * to {@code ClusterChannels} and {@code PrimaryChecks}, which call this class. Thread-safe.
 */
public final class Cluster implements Deployment {
  private static final Logger log = Logs.of(Cluster.class);
  private static final Duration BETWEEN_REFRESHES = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final RedisClient client;
  private final List<RedisURI> seeds;
  private final RedisSettings settings;
  private final DueTimer timer;
  private final @Nullable RightsProbe rights;
  private final Consumer<CompletableFuture<Void>> ending;
  private final ClusterChannels channels = new ClusterChannels(this);
  private final PrimaryChecks checks;
  private final ClusterIdentity identity;

  private final Map<NodeAddress, ServerConnections> nodes = new HashMap<>();
  private volatile SlotMap map = SlotMap.EMPTY;
  private volatile boolean sharded;
  private volatile boolean opened;
  private boolean refreshing;
  private volatile boolean closed;

  /**
   * Creates the deployment, without opening a connection.
   *
   * @param seeds the nodes to ask first for the map
   * @param ending receives the future of the end of all connections when the deployment is closed
   */
  public Cluster(
      RedisClient client,
      List<RedisURI> seeds,
      RedisSettings settings,
      DueTimer timer,
      @Nullable RightsProbe rights,
      Consumer<CompletableFuture<Void>> ending) {
    this.client = client;
    this.seeds = seeds;
    this.settings = settings;
    this.timer = timer;
    this.rights = rights;
    this.ending = ending;
    this.identity =
        new ClusterIdentity(
            settings.url(),
            seeds.stream().map(NodeAddress::of).collect(Collectors.toSet()),
            timer,
            () -> map);
    this.checks =
        new PrimaryChecks(
            timer,
            () -> closed ? Set.of() : map.primaries(),
            node -> node(node).main().send(Request.of(CommandType.PING)),
            node -> {
              ServerCheck check = newCheck(node);
              ServerCheck.Found unused = check.run();
              check.checkRights();
            });
  }

  /**
   * Fetches the map and checks each primary. A primary that does not answer, perhaps because a
   * replica is about to replace it, does not keep the client from using the other primaries.
   */
  public void check() {
    accept(await(fetch(settings.connectTimeout())));
    boolean all = true;
    StoreUnavailableException away = null;
    int answered = 0;
    for (NodeAddress primary : map.primaries()) {
      try {
        ServerCheck check = newCheck(primary);
        all &= check.run().hasShardedChannels();
        answered++;
        check.checkRights();
        checks.passed(primary);
      } catch (StoreUnavailableException e) {
        log.warn(
            "{}. The node could not be checked; it is checked and used once it answers",
            e.getMessage());
        away = e;
      }
    }
    if (answered == 0 && away != null) {
      throw away;
    }
    sharded = all;
    opened = true;
    checks.update();
  }

  private ServerCheck newCheck(NodeAddress primary) {
    String name = describe() + " (node " + primary + ")";
    Predicate<byte[]> serves = key -> primary.equals(map.nodeOf(SlotMap.slotOf(key)));
    return new ServerCheck(name, settings, node(primary).main(), serves, rights);
  }

  private SlotMap await(CompletableFuture<SlotMap> answer) {
    try {
      SlotMap found =
          answer.get(
              settings.connectTimeout().plus(PATIENCE).toMillis() * seeds.size(),
              TimeUnit.MILLISECONDS);
      if (found.primaries().isEmpty()) {
        throw new StoreUnavailableException(
            describe()
                + " serves no slots yet; assign them with redis-cli --cluster create, or with"
                + " CLUSTER ADDSLOTS",
            null);
      }
      return found;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while " + describe() + " was asked", e);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String why = Failures.describe(cause);
      if (why.contains("cluster support disabled")) {
        throw new StoreRefusedException(
            describe() + " is not a Cluster; name it with redis://host:port", cause);
      }
      if (Failures.isRefusedConnection(cause)) {
        throw new StoreRefusedException(describe() + " can't be used: " + why, cause);
      }
      throw new StoreUnavailableException(describe() + " can't be reached: " + why, cause);
    }
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
    return false;
  }

  @Override
  public boolean hasFailOver() {
    return true;
  }

  @Override
  public boolean hasChannels() {
    return true;
  }

  @Override
  public boolean hasShardedChannels() {
    return sharded;
  }

  @Override
  public ReconnectingConnection link(byte[] key) {
    return node(key).main();
  }

  @Override
  public Confirmer confirmer(byte[] key, Durability durability) {
    return node(key).confirmer(durability);
  }

  /**
   * Returns the node that serves a key. If no node is known to serve the key, starts a refresh of
   * the map and returns the first configured node. This node refuses the request with a reason, or
   * it serves the key.
   */
  ServerConnections node(byte[] key) {
    NodeAddress address = map.nodeOf(SlotMap.slotOf(key));
    if (address == null) {
      refresh();
      return node(NodeAddress.of(seeds.get(0)));
    }
    return node(address);
  }

  private synchronized ServerConnections node(NodeAddress address) {
    ServerConnections there = nodes.get(address);
    if (there == null) {
      there = newNode(address);
      nodes.put(address, there);
      if (closed) {
        CompletableFuture<Void> unused = there.end();
      }
    }
    return there;
  }

  private ServerConnections newNode(NodeAddress address) {
    RedisURI uri =
        RedisURI.builder(seeds.get(0)).withHost(address.host()).withPort(address.port()).build();
    return new ServerConnections(
        client,
        uri,
        settings,
        timer,
        new NodeIdentity(() -> identity.expected(address), () -> identity.different(address)),
        this::hasShardedChannels,
        failure -> failed(address, failure));
  }

  /** Corrects or refreshes the map after a request to a node, or a connection to it, has failed. */
  private void failed(NodeAddress asked, Throwable failure) {
    if (failure instanceof RedisCallException.Refused || Failures.isNoScript(failure)) {
      return;
    }
    Redirect.of(failure, asked).ifPresent(this::correct);
    refresh();
  }

  private void correct(Redirect redirect) {
    synchronized (this) {
      if (redirect.node().equals(map.nodeOf(redirect.slot()))) {
        return;
      }
      map = map.with(redirect.slot(), redirect.node());
    }
    channels.follow();
  }

  /** Refreshes the map after a pause, unless a refresh is already planned or running. */
  void refresh() {
    synchronized (this) {
      if (refreshing || closed) {
        return;
      }
      refreshing = true;
    }
    try {
      timer.schedule(BETWEEN_REFRESHES, this::ask);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the store", timerClosed);
    } catch (Throwable e) { // for example because memory is short; the next cause tries again
      refreshed();
      log.debug("The map of the slots is not refreshed now", e);
    }
  }

  private synchronized void refreshed() {
    refreshing = false;
  }

  private void ask() {
    fetch(PATIENCE)
        .whenComplete(
            (found, failure) -> {
              refreshed();
              if (failure == null) {
                accept(found);
              } else {
                log.debug("No node of {} tells which serves what", describe(), failure);
              }
            });
  }

  private Queue<NodeAddress> candidates() {
    List<NodeAddress> known = new ArrayList<>(map.primaries());
    Collections.shuffle(known, ThreadLocalRandom.current());
    Set<NodeAddress> all = new LinkedHashSet<>(known);
    seeds.forEach(seed -> all.add(NodeAddress.of(seed)));
    return new ArrayDeque<>(all);
  }

  private CompletableFuture<SlotMap> fetch(Duration patience) {
    return new SlotMapRequest(
            candidates(), node -> node(node).main(), identity::accepts, timer, patience)
        .begin();
  }

  private void accept(SlotMap found) {
    List<ServerConnections> gone = new ArrayList<>();
    synchronized (this) {
      if (closed || found.primaries().isEmpty()) {
        return;
      }
      map = found;
      Set<NodeAddress> primaries = found.primaries();
      nodes
          .entrySet()
          .removeIf(node -> !primaries.contains(node.getKey()) && gone.add(node.getValue()));
    }
    channels.follow();
    gone.forEach(ServerConnections::end);
    if (opened) {
      checks.update();
    }
  }

  @Override
  public ChannelSubscription subscribe(String channel, Subscriber subscriber) {
    return channels.add(channel, subscriber);
  }

  @Override
  public void close() {
    List<ServerConnections> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(nodes.values());
    }
    ending.accept(
        CompletableFuture.allOf(
            all.stream().map(ServerConnections::end).toArray(CompletableFuture[]::new)));
  }
}
