package io.punctual.redis;

import io.punctual.testkit.fault.Direction;
import io.punctual.testkit.fault.FaultProxy;
import io.punctual.testkit.redis.RedisCluster;
import io.punctual.testkit.redis.RedisProcess;
import io.punctual.testkit.redis.RedisSentinels;
import io.punctual.testkit.redis.TwemproxyProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The servers of a deployment, each with a proxy between it and its clients, so that what is
 * between them can fail as well. Nobody replaces a server that fails: it comes back. For one
 * thread.
 *
 * @param url the store's URL, with options
 * @param lanes how many lanes a queue gets
 * @param servers those that hold messages
 * @param serverOf which of them has the lane with this index
 * @param proxies what clients pass
 * @param running all that is to be closed
 */
record FaultyServers(
    String url,
    int lanes,
    List<RedisProcess> servers,
    Function<Integer, RedisProcess> serverOf,
    List<FaultProxy> proxies,
    List<AutoCloseable> running)
    implements AutoCloseable {
  private static final int PATIENT_SENTINEL_MILLIS = 3_600_000;

  /** One that nobody watches, whose faults are over soon enough for calls to be repeated. */
  private static final String OPTIONS = "timeout=1s&durabilityTimeout=500ms";

  private static RedisProcess.Builder server() {
    return RedisProcess.builder().appendOnly("always");
  }

  private static FaultProxy inFrontOf(RedisProcess server) {
    return FaultProxy.to("127.0.0.1", server.port());
  }

  private static String at(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port() + "?" + OPTIONS;
  }

  static FaultyServers single() {
    RedisProcess redis = server().start();
    FaultProxy proxy = inFrontOf(redis);
    return new FaultyServers(
        at(proxy), 1, List.of(redis), lane -> redis, List.of(proxy), List.of(redis));
  }

  /** A primary and a replica, and Sentinels that are too patient to replace it. */
  static FaultyServers sentinel() {
    List<FaultProxy> proxies = new ArrayList<>();
    RedisSentinels all =
        RedisSentinels.start(
            1,
            server(),
            primary -> {
              proxies.add(inFrontOf(primary));
              return proxies.get(0).port();
            });
    all.setDownAfter(PATIENT_SENTINEL_MILLIS);
    RedisProcess primary = all.primary();
    return new FaultyServers(
        all.url() + "?" + OPTIONS, 1, List.of(primary), lane -> primary, proxies, List.of(all));
  }

  /** Three primaries. */
  static FaultyServers cluster() {
    RedisCluster all = RedisCluster.start(3, 0, server());
    List<FaultProxy> proxies = all.nodes().stream().map(FaultyServers::inFrontOf).toList();
    for (int i = 0; i < proxies.size(); i++) {
      all.announce(all.nodes().get(i), proxies.get(i).port());
    }
    List<RedisProcess> nodes = all.nodes();
    return new FaultyServers(
        all.url() + "?" + OPTIONS,
        8,
        nodes,
        lane -> all.primaryOf(keys(lane)),
        proxies,
        List.of(all));
  }

  /** Two servers behind Twemproxy. */
  static FaultyServers twemproxy() {
    List<RedisProcess> servers = List.of(server().start(), server().start());
    TwemproxyProcess twemproxy = TwemproxyProcess.start(servers);
    FaultProxy proxy = FaultProxy.to("127.0.0.1", twemproxy.port());
    return new FaultyServers(
        at(proxy) + "&proxy=true&lanes=4",
        4,
        servers,
        lane -> having(servers, keys(lane) + "meta"),
        List.of(proxy),
        List.of(twemproxy, servers.get(0), servers.get(1)));
  }

  private static RedisProcess having(List<RedisProcess> servers, String key) {
    return servers.stream()
        .filter(server -> Long.valueOf(1).equals(server.ask("EXISTS", key)))
        .findFirst()
        .orElse(servers.get(0));
  }

  /** Returns what the keys of a lane begin with. */
  static String keys(int lane) {
    return "{punctual:" + FaultRun.QUEUE + ":" + lane + "}:";
  }

  /** Returns how many entries a sorted set has in all lanes. */
  long inAllLanes(String set) {
    long sum = 0;
    for (int lane = 0; lane < lanes; lane++) {
      Object size = serverOf.apply(lane).ask("ZCARD", keys(lane) + set);
      sum += size instanceof Long number ? number : 0;
    }
    return sum;
  }

  /** Asks all servers for a number, and returns the sum. */
  long ofAllServers(ToLongFunction<RedisProcess> number) {
    return servers.stream().mapToLong(number).sum();
  }

  /** Tells all servers the same. */
  void tellAll(String... command) {
    servers.forEach(server -> server.ask(command));
  }

  /** Resets all connections of clients. */
  void cut() {
    proxies.forEach(FaultProxy::cut);
  }

  /** From now on, no reply reaches a client. */
  void loseReplies() {
    proxies.forEach(proxy -> proxy.swallow(Direction.TO_CLIENT));
  }

  /** From now on, clients and servers do not reach each other; nobody is told. */
  void partition() {
    proxies.forEach(FaultProxy::blackHole);
  }

  /** Ends what the proxies were told to do. */
  void heal() {
    proxies.forEach(FaultProxy::heal);
  }

  long passedReplies() {
    return proxies.stream().mapToLong(proxy -> proxy.passedBytes(Direction.TO_CLIENT)).sum();
  }

  long lostReplies() {
    return proxies.stream().mapToLong(proxy -> proxy.swallowedBytes(Direction.TO_CLIENT)).sum();
  }

  @Override
  public void close() {
    proxies.forEach(FaultProxy::close);
    for (AutoCloseable one : running) {
      try {
        one.close();
      } catch (Exception e) {
        throw new IllegalStateException("Can't end " + one, e);
      }
    }
  }
}
