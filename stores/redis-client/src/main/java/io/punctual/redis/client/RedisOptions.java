package io.punctual.redis.client;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.deployment.Cluster;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.deployment.OneServer;
import io.punctual.redis.client.deployment.RightsProbe;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The address of a deployment and the options of its connections, collected by a builder. {@code
 * io.punctual.redis.RedisStoreBuilder} documents each setter. Not safe for use by many threads.
 */
public final class RedisOptions {
  public static final String DEFAULT_NAMESPACE = "punctual";

  /** How long a close waits for the ends of threads, which take a few seconds at most. */
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);

  private static final Logger log = Logs.of(RedisOptions.class);

  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  private RedisURI uri = RedisURI.create("localhost", 6379);
  private List<RedisURI> cluster = List.of();
  private @Nullable SslOptions ssl;
  private @Nullable ClientOptions clientOptions;
  private @Nullable ClientResources resources;
  private @Nullable DueTimer timer;
  private String namespace = DEFAULT_NAMESPACE;
  private Durability durability = Durability.NONE;
  private @Nullable Duration durabilityTimeout;
  private Duration commandTimeout = Duration.ofSeconds(5);
  private Duration connectTimeout = Duration.ofSeconds(5);
  private int requestQueue = 10_000;
  private boolean allowEviction;
  private boolean proxy;
  private int partitions;

  /** Creates options with the URL {@code redis://localhost:6379} and the default values. */
  public RedisOptions() {}

  /**
   * Copies the address and the options of a URL.
   *
   * @throws IllegalArgumentException if the URL is not the URL of a Redis deployment; the message
   *     names the fault
   */
  public void url(StoreUrl url) {
    new RedisUrl(url).applyTo(this);
  }

  /** Sets the server, or the primary with its Sentinels, in the form of the client library. */
  public void uri(RedisURI uri) {
    this.uri = uri;
    cluster = List.of();
  }

  /** Selects a Cluster, by the addresses of some of its nodes. */
  public void cluster(List<RedisURI> nodes) {
    cluster = List.copyOf(nodes);
  }

  public void ssl(SslOptions ssl) {
    this.ssl = ssl;
  }

  /** Uses the threads, the metrics, the TLS and the socket options of this client. */
  public void client(RedisClient client) {
    clientOptions = client.getOptions();
    resources = client.getResources();
  }

  /** Sets the threads, timers and metrics to use. */
  public void resources(ClientResources resources) {
    this.resources = resources;
  }

  public void timer(DueTimer timer) {
    this.timer = timer;
  }

  /** Sets the prefix of the names of keys and channels. */
  public void namespace(String namespace) {
    require(
        NAMESPACE.matcher(namespace).matches(),
        "namespace must be 1 to 100 letters, digits, dots, dashes and underscores");
    this.namespace = namespace;
  }

  /** Returns the durability that changes need. */
  public Durability durability() {
    return durability;
  }

  /** Sets the durability that changes need. */
  public void durability(Durability durability) {
    this.durability = durability;
  }

  /** Sets how long to wait for the durability. */
  public void durabilityTimeout(Duration timeout) {
    durabilityTimeout = positive("durabilityTimeout", timeout);
  }

  /** Sets how long the server may take for a reply. */
  public void commandTimeout(Duration timeout) {
    commandTimeout = positive("timeout", timeout);
  }

  /** Sets how long connecting may take. */
  public void connectTimeout(Duration timeout) {
    connectTimeout = positive("connectTimeout", timeout);
  }

  /** Sets how many requests may wait for a reply on a connection. */
  public void requestQueue(int requests) {
    require(requests >= 1, "requestQueue must be 1 or more, but was " + requests);
    requestQueue = requests;
  }

  /** Sets whether to accept a server that evicts data. */
  public void allowEviction(boolean allow) {
    allowEviction = allow;
  }

  /** Sets the number of partitions of new queues. */
  public void partitions(int count) {
    require(count >= 1 && count <= 1000, "partitions must be 1 to 1000, but was " + count);
    partitions = count;
  }

  /** Sets whether the server is a proxy, which passes only commands about keys. */
  public void proxy(boolean isProxy) {
    proxy = isProxy;
  }

  private static Duration positive(String name, Duration duration) {
    require(duration.toMillis() >= 1, name + " must be 1 millisecond or more, but was " + duration);
    return duration;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  /**
   * Connects, and checks the servers. May block until the time-outs have passed.
   *
   * @param rights tests the user's rights on each server; null for no test; not used behind a proxy
   * @throws IllegalArgumentException if the options have a proxy and a durability
   * @throws io.punctual.PunctualException if a server cannot be used, or none can be reached; the
   *     message names the remedy
   */
  public Deployment open(@Nullable RightsProbe rights) {
    require(
        !proxy || durability.equals(Durability.NONE),
        "behind a proxy there is no durability: it does not pass WAIT");
    ClientResources given = resources;
    if (given != null) {
      RedisClient client = new LeanRedisClient(SharedThreads.of(given));
      return open(client, rights, () -> CompletableFuture.completedFuture(null));
    }
    ClientResources own = newResources();
    RedisClient client = new LeanRedisClient(SharedThreads.of(own));
    return open(client, rights, () -> ended(own.shutdown(0, 1, TimeUnit.SECONDS)));
  }

  /**
   * Returns resources that do not record the latency of commands. With LatencyUtils on the class
   * path, which Micrometer brings, Lettuce would record each command, and run threads that wake
   * hundreds of times a second.
   */
  static ClientResources newResources() {
    return DefaultClientResources.builder()
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .build();
  }

  /**
   * Opens the deployment with this client, which then belongs to the deployment.
   *
   * @param ended shuts down what is left when the client was shut down
   */
  Deployment open(
      RedisClient client, @Nullable RightsProbe rights, Supplier<CompletableFuture<Void>> ended) {
    client.setOptions(clientOptions());
    DueTimer given = timer;
    WheelTimer own = given == null ? WheelTimer.create() : null;
    DueTimer used = own == null ? Objects.requireNonNull(given) : own;
    AtomicBoolean closed = new AtomicBoolean();
    Consumer<CompletableFuture<Void>> ending =
        connections -> {
          if (closed.compareAndSet(false, true)) {
            await(shutDown(client, connections, ended));
            if (own != null) {
              own.close();
            }
          }
        };
    return cluster.isEmpty()
        ? openServer(client, used, rights, ending)
        : openCluster(client, used, rights, ending);
  }

  /**
   * Shuts the client library down when the connections have ended, or after a second. A time-out of
   * the future itself would start a thread of the JDK that keeps the application's class loader for
   * ever.
   */
  private static CompletableFuture<Void> shutDown(
      RedisClient client,
      CompletableFuture<Void> connections,
      Supplier<CompletableFuture<Void>> ended) {
    completeSoon(connections, client.getResources());
    return connections
        .handle((nothing, failure) -> client.shutdownAsync(0, 1, TimeUnit.SECONDS))
        .thenCompose(shutDown -> shutDown)
        .handle((nothing, failure) -> ended.get())
        .thenCompose(all -> all);
  }

  private static void completeSoon(CompletableFuture<Void> connections, ClientResources threads) {
    try {
      var over =
          threads
              .eventExecutorGroup()
              .schedule(() -> connections.complete(null), 1, TimeUnit.SECONDS);
      CompletableFuture<?> unused =
          connections.whenComplete((nothing, failure) -> over.cancel(false));
    } catch (RejectedExecutionException noThreads) {
      // The application has shut down its threads before, so no connection can end in order.
      connections.complete(null);
    }
  }

  private static CompletableFuture<Void> ended(Future<?> shutDown) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Future<?> unused = shutDown.addListener(done -> ended.complete(null));
    return ended;
  }

  /**
   * Waits until the threads of the client library have ended, because an application server closes
   * the class loader of an application soon after. Threads of the library itself do not wait.
   */
  private static void await(CompletableFuture<Void> ended) {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      return;
    }
    try {
      Void unused = ended.get(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("The threads of the Redis client have not ended yet", e);
    }
  }

  private Deployment openServer(
      RedisClient client,
      DueTimer used,
      @Nullable RightsProbe rights,
      Consumer<CompletableFuture<Void>> ending) {
    OneServer server = new OneServer(client, target(uri), settings(), used, ending);
    return opened(server, () -> server.check(rights));
  }

  private Deployment openCluster(
      RedisClient client,
      DueTimer used,
      @Nullable RightsProbe rights,
      Consumer<CompletableFuture<Void>> ending) {
    List<RedisURI> seeds = cluster.stream().map(this::target).toList();
    Cluster all = new Cluster(client, seeds, settings(), used, rights, ending);
    return opened(all, all::check);
  }

  private Deployment opened(Deployment deployment, Runnable check) {
    try {
      check.run();
      return deployment;
    } catch (Throwable e) { // an error, too: it may be a lack of memory for a thread
      try (deployment) {
        if (e instanceof StoreUnavailableException away) {
          throw explained(deployment, away);
        }
        throw e;
      }
    }
  }

  private PunctualException explained(Deployment deployment, StoreUnavailableException failure) {
    List<RedisURI> addresses = cluster.isEmpty() ? List.of(uri) : cluster;
    return TlsMismatch.find(addresses.stream().map(this::target).toList())
        .<PunctualException>map(
            why ->
                new StoreRefusedException(
                    deployment.describe() + " can't be used: " + why, failure))
        .orElse(failure);
  }

  /**
   * Returns a copy of the URI with the time-out of these options. The original may belong to the
   * caller, so it stays unchanged.
   */
  private RedisURI target(RedisURI given) {
    RedisURI.Builder copy = RedisURI.builder(given).withTimeout(connectTimeout);
    String primary = given.getSentinelMasterId();
    if (primary != null) {
      copy.withSentinelMasterId(primary);
    }
    for (RedisURI sentinel : given.getSentinels()) {
      copy.withSentinel(RedisURI.builder(sentinel).withTimeout(connectTimeout).build());
    }
    RedisURI made = copy.build();
    if (proxy) {
      // The client library sends its name and version with the command CLIENT, at which a proxy
      // closes the connection.
      made.setLibraryName("");
      made.setLibraryVersion("");
    }
    return made;
  }

  private RedisSettings settings() {
    return new RedisSettings(
        cluster.isEmpty() ? RedisAddress.describe(uri) : RedisAddress.describe(cluster),
        namespace,
        durability,
        durabilityTimeout,
        commandTimeout,
        connectTimeout,
        requestQueue,
        allowEviction,
        proxy,
        partitions);
  }

  /**
   * Returns options by which Lettuce neither sends a request twice nor keeps requests for a later
   * connection. Sessions repeat calls where needed.
   */
  private ClientOptions clientOptions() {
    ClientOptions.Builder options =
        clientOptions == null ? ClientOptions.builder() : clientOptions.mutate();
    SocketOptions.Builder socket =
        clientOptions == null
            ? SocketOptions.builder().keepAlive(true)
            : clientOptions.getSocketOptions().mutate();
    options
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true)
        .protocolVersion(ProtocolVersion.RESP2)
        .socketOptions(socket.connectTimeout(connectTimeout).build());
    MaintenanceNotices.refuse(options);
    if (ssl != null) {
      options.sslOptions(ssl);
    }
    return options.build();
  }
}
