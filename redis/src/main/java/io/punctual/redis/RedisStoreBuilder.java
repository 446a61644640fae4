package io.punctual.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.Timer;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Builds a {@link RedisStore}. Not safe for use by many threads. */
public final class RedisStoreBuilder {
  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  private RedisURI uri = RedisURI.create("localhost", 6379);
  private @Nullable SslOptions ssl;
  private @Nullable ClientOptions clientOptions;
  private @Nullable ClientResources resources;
  private @Nullable Timer timer;
  private String namespace = "punctual";
  private Durability durability = Durability.NONE;
  private Duration durabilityTimeout = Duration.ofSeconds(1);
  private Duration commandTimeout = Duration.ofSeconds(5);
  private Duration connectTimeout = Duration.ofSeconds(5);
  private int requestQueue = 10_000;
  private boolean allowEviction;

  RedisStoreBuilder() {}

  /**
   * Sets the server, and whatever options stand in the URL.
   *
   * @throws IllegalArgumentException if it is no URL of this store; the message says why
   */
  public RedisStoreBuilder url(String url) {
    new RedisUrl(StoreUrl.parse(url)).applyTo(this);
    return this;
  }

  /** Sets the server as the client library names it. Its time-out is not used. */
  public RedisStoreBuilder uri(RedisURI uri) {
    this.uri = uri;
    return this;
  }

  /** Sets how TLS is done; whether it is, stands in the URL. */
  public RedisStoreBuilder ssl(SslOptions ssl) {
    this.ssl = ssl;
    return this;
  }

  /**
   * Uses the threads, the metrics, the TLS and the socket options of this client. The store's
   * connections are its own all the same, since it needs them not to repeat requests by themselves.
   */
  public RedisStoreBuilder client(RedisClient client) {
    clientOptions = client.getOptions();
    return resources(client.getResources());
  }

  /** Uses these threads, timers and metrics, which stay open when the store is closed. */
  public RedisStoreBuilder resources(ClientResources resources) {
    this.resources = resources;
    return this;
  }

  /** Uses this timer, which stays open when the store is closed; by default a thread of its own. */
  public RedisStoreBuilder timer(Timer timer) {
    this.timer = timer;
    return this;
  }

  /**
   * Sets what the names of all keys and channels begin with, {@code punctual} by default.
   *
   * @throws IllegalArgumentException if it is not 1 to 100 letters, digits, dots, dashes and
   *     underscores
   */
  public RedisStoreBuilder namespace(String namespace) {
    require(
        NAMESPACE.matcher(namespace).matches(),
        "namespace must be 1 to 100 letters, digits, dots, dashes and underscores");
    this.namespace = namespace;
    return this;
  }

  /** Sets how far changes must have travelled before they are confirmed; by default not at all. */
  public RedisStoreBuilder durability(Durability durability) {
    this.durability = durability;
    return this;
  }

  /** Sets how long to wait for that, 1 second by default; shorter than the command time-out. */
  public RedisStoreBuilder durabilityTimeout(Duration timeout) {
    durabilityTimeout = positive("durabilityTimeout", timeout);
    return this;
  }

  /**
   * Sets how long the server may take for an answer, 5 seconds by default. A connection on which
   * one takes longer is given up.
   */
  public RedisStoreBuilder commandTimeout(Duration timeout) {
    commandTimeout = positive("timeout", timeout);
    return this;
  }

  /** Sets how long connecting may take, 5 seconds by default. */
  public RedisStoreBuilder connectTimeout(Duration timeout) {
    connectTimeout = positive("connectTimeout", timeout);
    return this;
  }

  /**
   * Sets how many requests may wait for an answer on a connection, 10,000 by default; more are
   * refused.
   */
  public RedisStoreBuilder requestQueue(int requests) {
    require(requests >= 1, "requestQueue must be 1 or more, but was " + requests);
    requestQueue = requests;
    return this;
  }

  /** Sets whether a server may be used that evicts data, messages too, when its memory is full. */
  public RedisStoreBuilder allowEviction(boolean allow) {
    allowEviction = allow;
    return this;
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
   * Connects, and returns a store on the server. May block for the time-outs.
   *
   * @throws io.punctual.PunctualException if the server can't be reached or won't do; the message
   *     says what to do
   */
  public RedisStore open() {
    require(
        durabilityTimeout.compareTo(commandTimeout) < 0,
        "durabilityTimeout must be shorter than timeout, or every unconfirmed change would end"
            + " its connection");
    List<Runnable> closing = new ArrayList<>();
    RedisURI target = RedisURI.builder(uri).withTimeout(connectTimeout).build();
    RedisClient client =
        resources == null ? RedisClient.create(target) : RedisClient.create(resources, target);
    client.setOptions(options());
    closing.add(() -> client.shutdownAsync(0, 1, java.util.concurrent.TimeUnit.SECONDS));
    Timer used = timer;
    if (used == null) {
      WheelTimer own = WheelTimer.create();
      closing.add(own::close);
      used = own;
    }
    return RedisStore.open(target, settings(), client, used, closing);
  }

  private RedisSettings settings() {
    return new RedisSettings(
        namespace,
        durability,
        durabilityTimeout,
        commandTimeout,
        connectTimeout,
        requestQueue,
        allowEviction);
  }

  /** Nothing is sent twice, nothing waits for a connection to come back: sessions see to that. */
  private ClientOptions options() {
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
    if (ssl != null) {
      options.sslOptions(ssl);
    }
    return options.build();
  }
}
