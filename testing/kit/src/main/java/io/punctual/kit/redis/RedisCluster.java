package io.punctual.kit.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster that is configured by commands alone: primaries that share the slots evenly, and
 * replicas. A replica replaces its primary if the primary does not answer for a second.
 *
 * <pre>{@code
 * try (RedisCluster redis = RedisCluster.start(3, 1)) {
 *   Punctual punctual = Punctual.open(redis.url());
 *   RedisProcess former = redis.primaryOf("key");
 *   former.kill();
 *   redis.awaitPrimaryOtherThan(former, "key");
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads, one change at a time.
 */
public final class RedisCluster implements AutoCloseable {
  /** The time in milliseconds after which a node that does not answer counts as failed. */
  public static final int NODE_TIMEOUT_MILLIS = 1000;

  private static final int SLOTS = 16_384;
  private static final int ATTEMPTS = 5;
  private static final int KEYS_A_STEP = 10;

  /**
   * Matches the INFO of a replica without a connection to its primary, or of a primary with a
   * replica that is not online yet.
   */
  private static final Pattern OUT_OF_STEP =
      Pattern.compile("master_link_status:down|,state=(?!online,)");

  private static final Pattern EPOCH = Pattern.compile("cluster_current_epoch:(\\d+)");

  private final IntUnaryOperator announcedPort;
  private final List<RedisProcess> nodes = new ArrayList<>();

  private RedisCluster(IntUnaryOperator announcedPort) {
    this.announcedPort = announcedPort;
  }

  /**
   * Starts the primaries, each with {@code replicasEach} replicas. Returns when all slots are
   * served and all replicas have the data of their primaries.
   */
  public static RedisCluster start(int primaries, int replicasEach) {
    return start(primaries, replicasEach, RedisProcess.builder());
  }

  /** Starts a Cluster like {@link #start(int, int)}, with nodes that {@code node} builds. */
  public static RedisCluster start(int primaries, int replicasEach, RedisProcess.Builder node) {
    return start(primaries, replicasEach, node, IntUnaryOperator.identity());
  }

  /**
   * Starts a Cluster like {@link #start(int, int, RedisProcess.Builder)}, for tests that put a
   * proxy in front of each node. Clients and replicas use the port that {@code announcedPort}
   * returns for a node's own port. The function is called once for each port that is tried, before
   * the node starts. The bus connections between nodes do not use the proxies.
   */
  public static RedisCluster start(
      int primaries, int replicasEach, RedisProcess.Builder node, IntUnaryOperator announcedPort) {
    Map<Integer, Integer> ports = new HashMap<>();
    RedisCluster cluster =
        new RedisCluster(port -> ports.computeIfAbsent(port, announcedPort::applyAsInt));
    try {
      cluster.launch(primaries, replicasEach, node);
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void launch(int primaries, int replicasEach, RedisProcess.Builder node) {
    node.config("cluster-enabled", "yes")
        .config("cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MILLIS))
        .config("cluster-replica-validity-factor", "0")
        .config("cluster-allow-replica-migration", "no");
    for (int i = 0; i < primaries * (1 + replicasEach); i++) {
      add(node);
    }
    for (int i = 0; i < primaries; i++) {
      addSlots(nodes.get(i), i * SLOTS / primaries, (i + 1) * SLOTS / primaries);
    }
    awaitWell();
    for (int i = primaries; i < nodes.size(); i++) {
      nodes.get(i).ask("CLUSTER", "REPLICATE", id(nodes.get(i % primaries)));
    }
    awaitReplicas();
  }

  /** Assigns each slot by its number, because Redis 6.2 has no command for a range. */
  private static void addSlots(RedisProcess node, int from, int end) {
    List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
    IntStream.range(from, end).mapToObj(Integer::toString).forEach(command::add);
    node.ask(command.toArray(String[]::new));
  }

  private void add(RedisProcess.Builder node) {
    RedisProcess added = startAnnounced(node);
    nodes.add(added);
    added.ask("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(nodes.size()));
    if (nodes.size() > 1) {
      added.ask("CLUSTER", "MEET", "127.0.0.1", Integer.toString(nodes.get(0).port()));
    }
  }

  /** Configures the announced port before the start, because Redis 6.2 cannot change it later. */
  private RedisProcess startAnnounced(RedisProcess.Builder node) {
    for (int attempt = 1; ; attempt++) {
      int port = FreePorts.next();
      try {
        return node.port(port)
            .config("cluster-announce-port", Integer.toString(announcedPort.applyAsInt(port)))
            .config("cluster-announce-bus-port", Integer.toString(port + FreePorts.CLUSTER_BUS))
            .start();
      } catch (IllegalStateException e) {
        // Another process may have taken the port meanwhile.
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Starts an additional primary without slots, and returns it when all nodes know it. */
  public RedisProcess addPrimary(RedisProcess.Builder node) {
    node.config("cluster-enabled", "yes")
        .config("cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MILLIS))
        .config("cluster-allow-replica-migration", "no");
    RedisProcess added = startAnnounced(node);
    nodes.add(added);
    added.ask("CLUSTER", "MEET", "127.0.0.1", Integer.toString(nodes.get(0).port()));
    awaitWell();
    return added;
  }

  /** Removes a node that has no slots, and makes the remaining nodes forget the node. */
  public void remove(RedisProcess node) {
    String id = id(node);
    node.stop();
    running().forEach(other -> other.ask("CLUSTER", "FORGET", id));
    nodes.remove(node);
    node.close();
    awaitWell();
  }

  /** Waits until each running node knows all nodes, and reports that all slots are served. */
  public void awaitWell() {
    RedisSentinels.await(
        "a Cluster that is well", () -> running().allMatch(node -> isWell(node, nodes.size())));
  }

  private static boolean isWell(RedisProcess node, int nodes) {
    String info = String.valueOf(node.ask("CLUSTER", "INFO"));
    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes);
  }

  /** Waits until every running replica has its primary's data and confirms writes. */
  public void awaitReplicas() {
    RedisSentinels.await(
        "replicas in step",
        () ->
            running()
                    .map(node -> String.valueOf(node.ask("INFO", "replication")))
                    .noneMatch(info -> OUT_OF_STEP.matcher(info).find())
                && running()
                    .map(node -> String.valueOf(node.ask("CLUSTER", "NODES")))
                    .noneMatch(view -> view.contains("handshake")));
  }

  private Stream<RedisProcess> running() {
    return nodes.stream().filter(RedisProcess::isRunning);
  }

  /** Returns the URL of a store on this Cluster. */
  public String url() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + announcedPort(node))
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  /** Returns all nodes, running or stopped; the initial primaries come first. */
  public List<RedisProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the slot of a key. */
  public int slotOf(String key) {
    return Math.toIntExact((Long) answer(anyNode().ask("CLUSTER", "KEYSLOT", key)));
  }

  private RedisProcess anyNode() {
    return running().findFirst().orElseThrow();
  }

  /** Returns the primary that serves a key, according to a running node. */
  public RedisProcess primaryOf(String key) {
    return primaryOf(slotOf(key));
  }

  private RedisProcess primaryOf(int slot) {
    return primaryOf(slot, anyNode());
  }

  private RedisProcess primaryOf(int slot, RedisProcess asked) {
    for (Object range : (List<?>) answer(asked.ask("CLUSTER", "SLOTS"))) {
      List<?> parts = (List<?>) range;
      if ((Long) parts.get(0) <= slot && slot <= (Long) parts.get(1)) {
        return atPort((Long) ((List<?>) parts.get(2)).get(1));
      }
    }
    throw new IllegalStateException("No node serves slot " + slot);
  }

  private RedisProcess atPort(long port) {
    return nodes.stream().filter(node -> announcedPort(node) == port).findFirst().orElseThrow();
  }

  private int announcedPort(RedisProcess node) {
    return announcedPort.applyAsInt(node.port());
  }

  /** Waits until a node has this role: {@code master} or {@code slave}. */
  public void awaitRole(RedisProcess node, String role) {
    RedisSentinels.await(
        "role " + role,
        () -> String.valueOf(node.ask("INFO", "replication")).contains("role:" + role));
  }

  /** Returns the running replicas of this primary. */
  public List<RedisProcess> replicasOf(RedisProcess primary) {
    String port = "master_port:" + announcedPort(primary);
    return running()
        .filter(node -> String.valueOf(node.ask("INFO", "replication")).contains(port))
        .toList();
  }

  /** Waits until a different primary serves the key, and returns it. */
  public RedisProcess awaitPrimaryOtherThan(RedisProcess former, String key) {
    int slot = slotOf(key);
    RedisSentinels.await(
        "another primary of slot " + slot,
        () ->
            running().filter(n -> n != former).allMatch(node -> isOk(node))
                && primaryOf(slot) != former);
    return primaryOf(slot);
  }

  private static boolean isOk(RedisProcess node) {
    return String.valueOf(node.ask("CLUSTER", "INFO")).contains("cluster_state:ok");
  }

  /**
   * Moves the slot of a key to a different primary, a few keys at a time, as an operator does
   * during operation.
   */
  public void migrate(String key, RedisProcess to) {
    beginMigration(key, to).run();
  }

  /**
   * Moves the keys of a slot to a different primary. The returned action completes the migration:
   * it assigns the slot to that primary. Until then, the former primary answers ASK for the keys of
   * the slot, and the new primary answers MOVED.
   */
  public Runnable beginMigration(String key, RedisProcess to) {
    int number = slotOf(key);
    String slot = Integer.toString(number);
    RedisSentinels.await("nodes of one epoch", () -> epochs() == 1);
    RedisProcess from = primaryOf(number);
    to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
    from.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
    for (List<String> keys = keysIn(from, slot); !keys.isEmpty(); keys = keysIn(from, slot)) {
      moveKeys(from, to, keys);
    }
    return () -> endMigration(number, from, to);
  }

  private void endMigration(int number, RedisProcess from, RedisProcess to) {
    String slot = Integer.toString(number);
    to.ask("CLUSTER", "SETSLOT", slot, "NODE", id(to));
    from.ask("CLUSTER", "SETSLOT", slot, "NODE", id(to));
    RedisSentinels.await(
        "slot " + slot + " at its new primary for everyone",
        () -> running().allMatch(node -> primaryOf(number, node) == to));
  }

  /**
   * Returns the number of different epochs that the nodes report. An operator moves slots only when
   * all nodes agree. Otherwise a primary with an old epoch may lose its new slot to a claim of the
   * former primary, and then deletes the keys of the slot.
   */
  private long epochs() {
    return running()
        .map(node -> EPOCH.matcher(String.valueOf(node.ask("CLUSTER", "INFO"))))
        .map(matcher -> matcher.find() ? matcher.group(1) : "")
        .distinct()
        .count();
  }

  private static List<String> keysIn(RedisProcess node, String slot) {
    Object keys = node.ask("CLUSTER", "GETKEYSINSLOT", slot, Integer.toString(KEYS_A_STEP));
    return ((List<?>) answer(keys)).stream().map(String::valueOf).toList();
  }

  private static void moveKeys(RedisProcess from, RedisProcess to, List<String> keys) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "20000"));
    command.add("KEYS");
    command.addAll(keys);
    RedisSentinels.await("node that takes keys", () -> moved(from, command));
  }

  /**
   * Moves keys. Returns false if a node refuses because it believes that the Cluster is down, which
   * can happen for a moment on an overloaded machine.
   */
  private static boolean moved(RedisProcess from, List<String> command) {
    try {
      from.ask(command.toArray(String[]::new));
      return true;
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).contains("CLUSTERDOWN")) {
        return false;
      }
      throw e;
    }
  }

  private static String id(RedisProcess node) {
    return String.valueOf(node.ask("CLUSTER", "MYID"));
  }

  private static Object answer(@Nullable Object reply) {
    if (reply == null) {
      throw new IllegalStateException("The server answered nil");
    }
    return reply;
  }

  /** Ends all nodes and removes their directories. */
  @Override
  public void close() {
    nodes.forEach(RedisProcess::close);
  }
}
