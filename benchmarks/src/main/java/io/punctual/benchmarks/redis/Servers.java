package io.punctual.benchmarks.redis;

import io.punctual.benchmarks.RedisServer;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import java.util.List;

/** The servers that share the work of a queue. */
final class Servers implements AutoCloseable {
  private final String url;
  private final List<RedisProcess> processes;
  private final AutoCloseable owner;

  private Servers(String url, List<RedisProcess> processes, AutoCloseable owner) {
    this.url = url;
    this.processes = processes;
    this.owner = owner;
  }

  /** The kind of servers, and the number of partitions of a queue on them. */
  enum Kind {
    SINGLE("one server"),
    PARTITIONED("one server, 8 partitions"),
    CLUSTER_OF_ONE("Cluster of one"),
    CLUSTER_OF_THREE("Cluster of three");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }

    Servers start() {
      return switch (this) {
        case SINGLE -> single("");
        case PARTITIONED -> single("?partitions=8");
        case CLUSTER_OF_ONE -> cluster(1);
        case CLUSTER_OF_THREE -> cluster(3);
      };
    }

    private static Servers single(String options) {
      RedisProcess redis = RedisServer.start();
      return new Servers(redis.url() + options, List.of(redis), redis);
    }

    private static Servers cluster(int primaries) {
      RedisCluster cluster = RedisCluster.start(primaries, 0, RedisProcess.builder().installed());
      return new Servers(cluster.url(), cluster.nodes(), cluster);
    }
  }

  String url() {
    return url;
  }

  CommandStats stats() {
    return new CommandStats(processes);
  }

  double cpuSeconds() {
    return processes.stream().mapToDouble(RedisServer::cpuSeconds).sum();
  }

  @Override
  public void close() throws Exception {
    owner.close();
  }
}
