package io.punctual.redis;

import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import io.punctual.kit.redis.TwemproxyProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The servers of a deployment, behind proxies, so that their network can fail as well. A failed
 * server is not replaced by a replica; it returns. For a single thread.
 *
 * @param url the store's URL, with options
 * @param partitions how many partitions a queue gets
 * @param servers the servers that hold messages
 * @param serverOf returns the server of the partition with this index
 * @param started the proxies and servers, which {@link #close} closes
 */
record FaultyServers(
    String url,
    int partitions,
    List<RedisProcess> servers,
    Function<Integer, RedisProcess> serverOf,
    Started started)
    implements AutoCloseable {
  /** How far a healthy replica is behind its primary at most. */
  static final Duration REPLICA_LAG = Duration.ofSeconds(1);

  private static final int PATIENT_SENTINEL_MILLIS = 3_600_000;

  /** Short time-outs, so that calls are repeated soon after a fault. */
  private static final String OPTIONS = "timeout=1s&durabilityTimeout=500ms";

  private static RedisProcess.Builder server() {
    return RedisProcess.builder().appendOnly("always");
  }

  private static String at(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port() + "?" + OPTIONS;
  }

  /** Starts a deployment. If a part of it does not start, closes the servers that run already. */
  private static FaultyServers starting(Function<Started, FaultyServers> deployment) {
    Started started = new Started(new ArrayList<>(), new ArrayList<>());
    try {
      return deployment.apply(started);
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  static FaultyServers single() {
    return starting(
        started -> {
          RedisProcess redis = started.running(server().start());
          String url = at(started.proxyTo(redis.port()));
          return new FaultyServers(url, 1, List.of(redis), partition -> redis, started);
        });
  }

  /**
   * Starts a primary, a replica, and Sentinels with so long a time-out that they do not replace the
   * primary.
   */
  static FaultyServers sentinel() {
    return starting(
        started -> {
          RedisSentinels all =
              started.running(
                  RedisSentinels.start(1, server(), node -> started.proxyTo(node.port()).port()));
          all.setDownAfter(PATIENT_SENTINEL_MILLIS);
          RedisProcess primary = all.primary();
          String url = all.url() + "?" + OPTIONS;
          return new FaultyServers(url, 1, List.of(primary), partition -> primary, started);
        });
  }

  /** Starts a Cluster of three primaries. */
  static FaultyServers cluster() {
    return starting(
        started -> {
          RedisCluster all =
              started.running(
                  RedisCluster.start(3, 0, server(), port -> started.proxyTo(port).port()));
          String url = all.url() + "?" + OPTIONS;
          return new FaultyServers(
              url, 8, all.nodes(), partition -> all.primaryOf(keys(partition)), started);
        });
  }

  /** Starts two servers behind Twemproxy. */
  static FaultyServers twemproxy() {
    return starting(
        started -> {
          List<RedisProcess> servers =
              List.of(started.running(server().start()), started.running(server().start()));
          TwemproxyProcess twemproxy = started.running(TwemproxyProcess.start(servers));
          String url = at(started.proxyTo(twemproxy.port())) + "&proxy=true&partitions=4";
          return new FaultyServers(
              url, 4, servers, partition -> having(servers, keys(partition) + "meta"), started);
        });
  }

  private static RedisProcess having(List<RedisProcess> servers, String key) {
    return servers.stream()
        .filter(server -> Long.valueOf(1).equals(server.ask("EXISTS", key)))
        .findFirst()
        .orElse(servers.get(0));
  }

  /** Returns the prefix of a partition's keys. */
  static String keys(int partition) {
    return "{punctual:" + KillRun.QUEUE + ":" + partition + "}:";
  }

  /** Returns the total number of entries of a sorted set in all partitions. */
  long inAllPartitions(String set) {
    long sum = 0;
    for (int partition = 0; partition < partitions; partition++) {
      Object size = serverOf.apply(partition).ask("ZCARD", keys(partition) + set);
      sum += size instanceof Long number ? number : 0;
    }
    return sum;
  }

  /** Sends a command to each server. */
  void tellAll(String... command) {
    servers.forEach(server -> server.ask(command));
  }

  /** Resets all connections between clients and servers. */
  void cut() {
    started.proxies().forEach(FaultProxy::cut);
  }

  /** From now on, drops all replies to clients. */
  void loseReplies() {
    started.proxies().forEach(proxy -> proxy.swallow(Direction.TO_CLIENT));
  }

  /** From now on, drops all data between clients and servers, without an error. */
  void partition() {
    started.proxies().forEach(FaultProxy::blackHole);
  }

  /** Ends the faults of the proxies. */
  void heal() {
    started.proxies().forEach(FaultProxy::heal);
  }

  long passedReplies() {
    return started.proxies().stream()
        .mapToLong(proxy -> proxy.passedBytes(Direction.TO_CLIENT))
        .sum();
  }

  long lostReplies() {
    return started.proxies().stream()
        .mapToLong(proxy -> proxy.swallowedBytes(Direction.TO_CLIENT))
        .sum();
  }

  @Override
  public void close() {
    started.close();
  }

  /** The proxies and servers that run so far. */
  record Started(List<FaultProxy> proxies, List<AutoCloseable> servers) implements AutoCloseable {
    <T extends AutoCloseable> T running(T server) {
      servers.add(server);
      return server;
    }

    FaultProxy proxyTo(int port) {
      FaultProxy proxy = FaultProxy.to("127.0.0.1", port);
      proxies.add(proxy);
      return proxy;
    }

    @Override
    public void close() {
      proxies.forEach(FaultProxy::close);
      for (AutoCloseable server : servers) {
        try {
          server.close();
        } catch (Exception e) {
          throw new IllegalStateException("Can't end " + server, e);
        }
      }
    }
  }
}
