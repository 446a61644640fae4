package io.punctual.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.redis.client.RedisOptions;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.deployment.RightsProbe;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.List;

/** Builds a {@link RedisStore}. Not safe for use by many threads. */
public final class RedisStoreBuilder {
  private final RedisOptions options = new RedisOptions();

  RedisStoreBuilder() {}

  /**
   * Sets the server and the options in the URL.
   *
   * @throws IllegalArgumentException if the URL is not valid for this store; the message names the
   *     fault
   */
  public RedisStoreBuilder url(String url) {
    return url(StoreUrl.parse(url));
  }

  RedisStoreBuilder url(StoreUrl url) {
    options.url(url);
    return this;
  }

  /** Sets the server by a URI of the client library. The store ignores the URI's time-out. */
  public RedisStoreBuilder uri(RedisURI uri) {
    options.uri(uri);
    return this;
  }

  /** Sets the options of TLS. The URL determines whether connections use TLS. */
  public RedisStoreBuilder ssl(SslOptions ssl) {
    options.ssl(ssl);
    return this;
  }

  /**
   * Uses the threads, the metrics, the TLS and the socket options of this client. The store still
   * opens connections of its own, because its connections must not repeat requests.
   */
  public RedisStoreBuilder client(RedisClient client) {
    options.client(client);
    return this;
  }

  /** Uses these threads, timers and metrics, which stay open when the store is closed. */
  public RedisStoreBuilder resources(ClientResources resources) {
    options.resources(resources);
    return this;
  }

  /**
   * Uses this timer, which stays open when the store is closed. By default the store creates a
   * timer with a thread of its own.
   */
  public RedisStoreBuilder timer(DueTimer timer) {
    options.timer(timer);
    return this;
  }

  /**
   * Sets the prefix of the names of all keys and channels, {@code punctual} by default.
   *
   * @throws IllegalArgumentException if the prefix is not 1 to 100 letters, digits, dots, dashes
   *     and underscores
   */
  public RedisStoreBuilder namespace(String namespace) {
    options.namespace(namespace);
    return this;
  }

  /** Sets the durability that a change needs before it is confirmed; by default none. */
  public RedisStoreBuilder durability(Durability durability) {
    options.durability(durability);
    return this;
  }

  /**
   * Sets how long to wait for the durability, at least 1 millisecond: by default 1 second, or 4
   * seconds if a disk has to confirm.
   */
  public RedisStoreBuilder durabilityTimeout(Duration timeout) {
    options.durabilityTimeout(timeout);
    return this;
  }

  /**
   * Sets how long the server may take for a reply, at least 1 millisecond, by default 5 seconds.
   * After a longer time the connection is replaced.
   */
  public RedisStoreBuilder commandTimeout(Duration timeout) {
    options.commandTimeout(timeout);
    return this;
  }

  /** Sets how long connecting may take, at least 1 millisecond, by default 5 seconds. */
  public RedisStoreBuilder connectTimeout(Duration timeout) {
    options.connectTimeout(timeout);
    return this;
  }

  /**
   * Sets how many requests may wait for a reply on a connection, at least 1, by default 10,000.
   * Further requests fail.
   */
  public RedisStoreBuilder requestQueue(int requests) {
    options.requestQueue(requests);
    return this;
  }

  /**
   * Sets whether the store accepts a server that evicts data, including messages, when its memory
   * is full. By default the store refuses this server.
   */
  public RedisStoreBuilder allowEviction(boolean allow) {
    options.allowEviction(allow);
    return this;
  }

  /**
   * Selects a Cluster, by the addresses of some of its nodes, instead of a single server. User,
   * password and TLS of the first node apply to all nodes.
   */
  public RedisStoreBuilder cluster(List<RedisURI> nodes) {
    options.cluster(nodes);
    return this;
  }

  /**
   * Sets the number of partitions of new queues, 1 to 1000; by default 1 on a server and 8 on a
   * Cluster. {@link io.punctual.Punctual#queue(String, io.punctual.Codec, int)} overrides it. An
   * existing queue keeps its number.
   */
  public RedisStoreBuilder partitions(int partitions) {
    options.partitions(partitions);
    return this;
  }

  /**
   * Sets whether the server is a proxy, such as Twemproxy, that passes only commands about keys. A
   * proxy has no channels and no durability. Off by default.
   */
  public RedisStoreBuilder proxy(boolean proxy) {
    options.proxy(proxy);
    return this;
  }

  /**
   * Connects, and returns a store on the server. May block for the time-outs.
   *
   * @throws IllegalArgumentException if the options have a proxy and a durability
   * @throws io.punctual.StoreUnavailableException if the server can't be reached
   * @throws io.punctual.StoreRefusedException if the server can't be used, for example because of
   *     its version, its eviction policy or the user's rights; the message names the remedy
   */
  public RedisStore open() {
    RightsProbe rights = new RightsProbe(PartitionScripts.RIGHTS, PartitionKeys.NAMES);
    Deployment deployment = options.open(rights);
    new PersistenceCheck(deployment).begin();
    return new RedisStore(deployment);
  }
}
