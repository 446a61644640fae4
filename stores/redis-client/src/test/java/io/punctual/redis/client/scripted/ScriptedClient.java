package io.punctual.redis.client.scripted;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandEncoder;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.ChannelHandler;
import io.netty.util.ResourceLeakDetector;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A client of the library whose connections lead to scripted servers. With a URI of Sentinels, a
 * connection leads to the server that the test has named as the primary.
 */
public final class ScriptedClient extends RedisClient {
  private static final ClientResources RESOURCES = ClientResources.create();

  static {
    // Tests leave connections open, and their buffers go with them.
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  private final Map<String, ScriptedServer> servers = new ConcurrentHashMap<>();
  private final List<RedisConnectionStateListener> listeners = new CopyOnWriteArrayList<>();
  private volatile ScriptedServer primary = new ScriptedServer();
  private volatile boolean shutDown;

  /** Creates a client with the options that connections of this module have. */
  public ScriptedClient() {
    super(RESOURCES, RedisURI.create("localhost", 6379));
    setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .protocolVersion(ProtocolVersion.RESP2)
            .build());
  }

  /** Returns the server with this port, on any host. */
  public ScriptedServer server(int port) {
    return servers.computeIfAbsent(Integer.toString(port), key -> new ScriptedServer());
  }

  /** Names the primary that the Sentinels report. */
  public void primary(ScriptedServer server) {
    primary = server;
  }

  private ScriptedServer serverOf(RedisURI uri) {
    return uri.getSentinels().isEmpty() ? server(uri.getPort()) : primary;
  }

  List<RedisConnectionStateListener> listeners() {
    return listeners;
  }

  /** Returns the number of listeners for connections that the client has at the moment. */
  public int listenerCount() {
    return listeners.size();
  }

  public boolean isShutDown() {
    return shutDown;
  }

  @Override
  public void addListener(RedisConnectionStateListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(RedisConnectionStateListener listener) {
    listeners.remove(listener);
  }

  @Override
  public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
    shutDown = true;
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
      RedisCodec<K, V> codec, RedisURI uri) {
    DefaultEndpoint endpoint = new DefaultEndpoint(getOptions(), RESOURCES);
    StatefulRedisConnectionImpl<K, V> connection =
        new StatefulRedisConnectionImpl<>(endpoint, endpoint, codec, Duration.ofDays(1));
    return connect(uri, connection, new CommandHandler(getOptions(), RESOURCES, endpoint));
  }

  @Override
  public <K, V> ConnectionFuture<StatefulRedisPubSubConnection<K, V>> connectPubSubAsync(
      RedisCodec<K, V> codec, RedisURI uri) {
    PubSubEndpoint<K, V> endpoint = new PubSubEndpoint<>(getOptions(), RESOURCES);
    ChannelConnection<K, V> connection = new ChannelConnection<>(endpoint, codec);
    return connect(
        uri, connection, new PubSubCommandHandler<>(getOptions(), RESOURCES, codec, endpoint));
  }

  /** A connection that passes its listeners to its link, which knows when the connection ends. */
  private static final class ChannelConnection<K, V>
      extends StatefulRedisPubSubConnectionImpl<K, V> {
    private ScriptedLink link;

    ChannelConnection(PubSubEndpoint<K, V> endpoint, RedisCodec<K, V> codec) {
      super(endpoint, endpoint, codec, Duration.ofDays(1));
    }

    @Override
    public void addListener(RedisConnectionStateListener listener) {
      link.addListener(listener);
    }
  }

  private <C, H extends RedisChannelHandler<?, ?>> ConnectionFuture<C> connect(
      RedisURI uri, H connection, ChannelHandler handler) {
    @SuppressWarnings("unchecked") // Each caller passes a connection of the type that it returns.
    C wanted = (C) connection;
    CompletableFuture<C> made = new CompletableFuture<>();
    ScriptedServer server = serverOf(uri);
    ScriptedLink link = new ScriptedLink(server, this, connection, new CommandEncoder(), handler);
    if (connection instanceof ChannelConnection<?, ?> channels) {
      channels.link = link;
    }
    server.connect(
        new ScriptedAttempt(link, () -> made.complete(wanted), made::completeExceptionally));
    return ConnectionFuture.from(new InetSocketAddress(0), made);
  }
}
