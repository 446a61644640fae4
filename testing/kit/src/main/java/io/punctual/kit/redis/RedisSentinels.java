package io.punctual.kit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A primary, its replicas, and three Sentinels that watch them. The Sentinels replace a primary
 * that does not answer for half a second.
 *
 * <pre>{@code
 * try (RedisSentinels redis = RedisSentinels.start(1)) {
 *   Punctual punctual = Punctual.open(redis.url());
 *   RedisProcess former = redis.primary();
 *   former.kill();
 *   redis.awaitPrimaryOtherThan(former);
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads, one change at a time.
 */
public final class RedisSentinels implements AutoCloseable {
  /** The Sentinels' name of the primary. */
  public static final String NAME = "punctual";

  /** The time in milliseconds after which a primary that does not answer counts as failed. */
  public static final int DOWN_AFTER_MILLIS = 500;

  private static final int SENTINELS = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final List<RedisProcess> servers = new ArrayList<>();
  private final List<RedisProcess> sentinels = new ArrayList<>();
  private int primaryPort;

  private RedisSentinels() {}

  /**
   * Starts a primary with this number of replicas. Returns when the replicas have the data of the
   * primary, and each Sentinel knows the replicas and the other Sentinels.
   */
  public static RedisSentinels start(int replicas) {
    return start(replicas, RedisProcess.builder());
  }

  /** Starts the servers like {@link #start(int)}, with servers that {@code server} builds. */
  public static RedisSentinels start(int replicas, RedisProcess.Builder server) {
    return start(replicas, server, RedisProcess::port);
  }

  /**
   * Starts the servers like {@link #start(int, RedisProcess.Builder)}, for tests that put a proxy
   * in front of the first primary. Sentinels, replicas and clients use the port that {@code port}
   * returns for the primary.
   */
  public static RedisSentinels start(
      int replicas, RedisProcess.Builder server, ToIntFunction<RedisProcess> port) {
    RedisSentinels all = new RedisSentinels();
    try {
      all.launch(replicas, server, port);
      return all;
    } catch (RuntimeException | Error e) {
      all.close();
      throw e;
    }
  }

  private void launch(
      int replicas, RedisProcess.Builder server, ToIntFunction<RedisProcess> known) {
    RedisProcess primary = server.start();
    servers.add(primary);
    primaryPort = known.applyAsInt(primary);
    for (int i = 0; i < replicas; i++) {
      servers.add(server.config("replicaof", "127.0.0.1 " + primaryPort).start());
    }
    for (int i = 0; i < SENTINELS; i++) {
      RedisProcess sentinel = RedisProcess.builder().sentinel().start();
      sentinels.add(sentinel);
      String port = Integer.toString(primaryPort);
      sentinel.ask("SENTINEL", "MONITOR", NAME, "127.0.0.1", port, "2");
    }
    await("replicas in step", () -> servers.stream().skip(1).allMatch(RedisSentinels::isInStep));
    await("Sentinels that know all", () -> sentinels.stream().allMatch(this::knowsAll));
    // Not before: when a busy machine pauses, Sentinels that know too little would fail over.
    sentinels.forEach(sentinel -> set(sentinel, "failover-timeout", 2_000));
    setDownAfter(DOWN_AFTER_MILLIS);
  }

  private static void set(RedisProcess sentinel, String option, int value) {
    sentinel.ask("SENTINEL", "SET", NAME, option, Integer.toString(value));
  }

  /** Sets the time in milliseconds after which a primary that does not answer counts as failed. */
  public void setDownAfter(int millis) {
    sentinels.forEach(sentinel -> set(sentinel, "down-after-milliseconds", millis));
  }

  private static boolean isInStep(RedisProcess replica) {
    return String.valueOf(replica.ask("INFO", "replication")).contains("master_link_status:up");
  }

  private boolean knowsAll(RedisProcess sentinel) {
    return size(sentinel.ask("SENTINEL", "SENTINELS", NAME)) == SENTINELS - 1
        && size(sentinel.ask("SENTINEL", "REPLICAS", NAME)) == servers.size() - 1;
  }

  private static int size(@Nullable Object list) {
    return list instanceof List<?> all ? all.size() : 0;
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("Not within a minute: " + what);
      }
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Returns the URL of a store on these servers. */
  public String url() {
    List<String> addresses = sentinels.stream().map(s -> "127.0.0.1:" + s.port()).toList();
    return "redis-sentinel://" + String.join(",", addresses) + "/" + NAME;
  }

  /** Returns all servers, running or stopped; the initial primary comes first. */
  public List<RedisProcess> servers() {
    return List.copyOf(servers);
  }

  /** Returns the Sentinels. */
  public List<RedisProcess> sentinels() {
    return List.copyOf(sentinels);
  }

  /** Returns the server that the first Sentinel names as the primary. */
  public RedisProcess primary() {
    return primary(sentinels.get(0));
  }

  private RedisProcess primary(RedisProcess sentinel) {
    Object address = sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    if (address instanceof List<?> hostAndPort) {
      int port = Integer.parseInt(String.valueOf(hostAndPort.get(1)));
      return port == primaryPort
          ? servers.get(0)
          : servers.stream().filter(s -> s.port() == port).findFirst().orElseThrow();
    }
    throw new IllegalStateException("The Sentinels name no primary");
  }

  /**
   * Waits until all Sentinels name a different primary that accepts writes, and returns that
   * primary. A Sentinel that still names the former primary would make the new primary its replica
   * if the former primary restarts with old data.
   */
  public RedisProcess awaitPrimaryOtherThan(RedisProcess former) {
    await(
        "another primary",
        () ->
            sentinels.stream().allMatch(sentinel -> primary(sentinel) != former)
                && takesChanges(primary()));
    return primary();
  }

  /** Requests a fail-over from a Sentinel, as an operator does; returns the new primary. */
  public RedisProcess failOver() {
    RedisProcess former = primary();
    await("Sentinels that know a good replica", this::beginFailOver);
    return awaitPrimaryOtherThan(former);
  }

  private boolean beginFailOver() {
    try {
      sentinels.get(0).ask("SENTINEL", "FAILOVER", NAME);
      return true;
    } catch (IllegalStateException notYet) {
      return false;
    }
  }

  private static boolean takesChanges(RedisProcess server) {
    return String.valueOf(server.ask("INFO", "replication")).contains("role:master");
  }

  /** Waits until at least this number of replicas is connected to the primary and in sync. */
  public void awaitReplicas(int replicas) {
    await(
        replicas + " replicas in step",
        () ->
            String.valueOf(primary().ask("INFO", "replication")).split("state=online", -1).length
                > replicas);
  }

  /** Ends all processes and removes their directories. */
  @Override
  public void close() {
    sentinels.forEach(RedisProcess::close);
    servers.forEach(RedisProcess::close);
  }
}
