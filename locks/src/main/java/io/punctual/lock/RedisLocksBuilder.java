package io.punctual.lock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.redis.client.RedisOptions;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Builds a {@link RedisLocks}. Not safe for use by many threads. */
public final class RedisLocksBuilder {
  private static final int LONGEST_NAME = 100;

  private final RedisOptions options = new RedisOptions();
  private final List<LockListener> listeners = new ArrayList<>();
  private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

  private Duration lease = USUAL_LEASE;
  private @Nullable Executor executor;
  private String name = "";
  private RandomGenerator random = new SecureRandom();

  RedisLocksBuilder() {}

  /**
   * Sets the deployment and the options that a URL names, in the form of a Redis store's URL.
   *
   * @throws IllegalArgumentException if the URL is not that of a Redis store; the message names the
   *     fault
   */
  public RedisLocksBuilder url(String url) {
    options.url(StoreUrl.parse(url));
    return this;
  }

  /** Sets the server by a URI of the client library. The locks ignore the URI's time-out. */
  public RedisLocksBuilder uri(RedisURI uri) {
    options.uri(uri);
    return this;
  }

  /**
   * Selects a Cluster, by the addresses of some of its nodes, instead of a single server. User,
   * password and TLS of the first node apply to all nodes.
   */
  public RedisLocksBuilder cluster(List<RedisURI> nodes) {
    options.cluster(nodes);
    return this;
  }

  /** Sets the options of TLS. The URL or the URI determines whether connections use TLS. */
  public RedisLocksBuilder ssl(SslOptions ssl) {
    options.ssl(ssl);
    return this;
  }

  /** Uses the threads, the metrics, the TLS and the socket options of this client. */
  public RedisLocksBuilder client(RedisClient client) {
    options.client(client);
    return this;
  }

  /** Uses these threads, timers and metrics, which stay open when the locks are closed. */
  public RedisLocksBuilder resources(ClientResources resources) {
    options.resources(resources);
    return this;
  }

  /**
   * Uses this timer, which stays open when the locks are closed. By default the locks create a
   * timer with a thread of its own.
   */
  public RedisLocksBuilder timer(DueTimer timer) {
    options.timer(timer);
    return this;
  }

  /** Sets the prefix of the names of all keys and channels, {@code punctual} by default. */
  public RedisLocksBuilder namespace(String namespace) {
    options.namespace(namespace);
    return this;
  }

  /**
   * Sets which copies of the data must confirm an acquisition, by default only the server itself;
   * see {@link DistributedLock#withReplicas}.
   */
  public RedisLocksBuilder durability(Durability durability) {
    options.durability(durability);
    return this;
  }

  /**
   * Sets how long to wait for the confirmation: by default 1 second, or 3 seconds if the disk has
   * to confirm.
   */
  public RedisLocksBuilder durabilityTimeout(Duration timeout) {
    options.durabilityTimeout(timeout);
    return this;
  }

  /** Sets how long the server may take for a reply, 5 seconds by default. */
  public RedisLocksBuilder commandTimeout(Duration timeout) {
    options.commandTimeout(timeout);
    return this;
  }

  /** Sets how long connecting may take, 5 seconds by default. */
  public RedisLocksBuilder connectTimeout(Duration timeout) {
    options.connectTimeout(timeout);
    return this;
  }

  /**
   * Sets the lease of locks that are renewed: 500 milliseconds to a day, 30 seconds by default. A
   * crashed holder blocks the lock for up to this time. A holder that loses its connection has
   * about two thirds of this time or more to reconnect.
   */
  public RedisLocksBuilder lease(Duration lease) {
    LockOptions.renewedLease(lease);
    this.lease = lease;
    return this;
  }

  /**
   * Sets a name of this process, which {@code punctual lock list} and {@link LockInfo.Client} show
   * together with the host and the process id; empty by default.
   *
   * @param name up to 100 characters without control characters
   */
  public RedisLocksBuilder name(String name) {
    if (name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A process is named by up to "
              + LONGEST_NAME
              + " characters without control characters; this name has "
              + name.length());
    }
    this.name = name.strip();
    return this;
  }

  /** Adds a listener for the events of locks. */
  public RedisLocksBuilder listener(LockListener listener) {
    listeners.add(listener);
    return this;
  }

  /**
   * Sets the executor of asynchronous results and of callbacks for lost locks. By default, results
   * and callbacks run on threads that the locks create, and that end when they are idle. If the
   * executor throws, for example because it is full or shut down, the callback runs on such a
   * thread as well.
   */
  public RedisLocksBuilder executor(Executor executor) {
    this.executor = executor;
    return this;
  }

  /** Sets the source of the ids. Two clients with equal sources are like clones of one process. */
  RedisLocksBuilder random(RandomGenerator random) {
    this.random = random;
    return this;
  }

  /**
   * Connects, and returns the locks. May block until the time-outs have passed.
   *
   * @throws io.punctual.PunctualException if the server cannot be reached or is not suitable; the
   *     message names the remedy
   */
  public RedisLocks open() {
    return new RedisLocks(openSession(), lease);
  }

  /**
   * Checks that options which a quorum lock does not use have their defaults.
   *
   * @throws IllegalArgumentException if one has not
   */
  void checkForQuorum() {
    if (!lease.equals(USUAL_LEASE) || !options.durability().equals(Durability.NONE)) {
      throw new IllegalArgumentException(
          "A server of quorum locks has no lease and no durability of its own; leave them out, and"
              + " set the lease by QuorumLocks.lock(name).withLease(...)");
    }
  }

  /** Connects as {@link #open} does, but returns the session instead of locks. */
  LockSession openSession() {
    Deployment deployment = options.open(null);
    LockClient client =
        new LockClient(deployment, new CallbackExecutor(executor), random, List.copyOf(listeners));
    return new LockSession(client, name);
  }
}
