package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Listens to channels over one connection, which is opened for the first subscriber.
 *
 * <p>Messages are missed while there is no subscription, so each subscriber is notified when its
 * subscription begins, and again after each reconnect. A silent connection may be dead, so every 10
 * seconds a subscription is repeated to get a reply, and a connection without a reply is replaced.
 * The lock, {@code this}, is not held during calls to subscribers. Thread-safe.
 */
public final class Subscriptions extends RedisPubSubAdapter<byte[], byte[]> {
  private static final Logger log = Logs.of(Subscriptions.class);
  private static final Duration PULSE = Duration.ofSeconds(10);

  private final RedisClient client;
  private final RedisURI uri;
  private final DueTimer timer;
  private final BooleanSupplier sharded;
  private final Consumer<Throwable> failures;
  private final ConnectBackoff backoff;

  private final Map<String, Set<RegisteredSubscriber>> subscribers = new HashMap<>();

  /** The channels with a confirmed subscription over the current connection. */
  private final Set<String> confirmed = new HashSet<>();

  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;
  private boolean connecting;

  /**
   * Completes when the last attempt to connect has ended. If the attempt made a connection that was
   * not used, completes after that connection has ended.
   */
  private CompletableFuture<Void> attempt = CompletableFuture.completedFuture(null);

  private boolean beating;
  private boolean heard;
  private boolean closed;

  /**
   * A registration of a subscriber. The class is not a record, because two records of the same
   * subscriber would be equal: a subscriber that is added twice must be called twice.
   */
  private static final class RegisteredSubscriber {
    private final Subscriber subscriber;

    RegisteredSubscriber(Subscriber subscriber) {
      this.subscriber = subscriber;
    }

    void begun() {
      call(subscriber::begun);
    }

    void message(byte[] message) {
      call(() -> subscriber.message(message));
    }

    private static void call(Runnable call) {
      try {
        call.run();
      } catch (Throwable e) {
        log.warn("A subscriber of a channel failed; it should not throw", e);
      }
    }
  }

  /**
   * Creates the subscriptions to a server.
   *
   * @param sharded returns whether channels belong to slots, as keys do
   * @param failures receives failures of subscriptions and of attempts to connect
   */
  public Subscriptions(
      RedisClient client,
      RedisURI uri,
      DueTimer timer,
      BooleanSupplier sharded,
      Consumer<Throwable> failures) {
    this.client = client;
    this.uri = uri;
    this.timer = timer;
    this.sharded = sharded;
    this.failures = failures;
    this.backoff = new ConnectBackoff(timer);
  }

  /** Listens to a channel until the returned subscription is closed. */
  public ChannelSubscription add(String channel, Subscriber subscriber) {
    RegisteredSubscriber registered = new RegisteredSubscriber(subscriber);
    boolean listening;
    synchronized (this) {
      subscribers.computeIfAbsent(channel, c -> new HashSet<>()).add(registered);
      listening = confirmed.contains(channel);
      if (!listening) {
        subscribe(channel);
      }
    }
    if (listening) {
      registered.begun();
    }
    return () -> remove(channel, registered);
  }

  private synchronized void remove(String channel, RegisteredSubscriber registered) {
    Set<RegisteredSubscriber> those = subscribers.get(channel);
    if (those != null && those.remove(registered) && those.isEmpty()) {
      subscribers.remove(channel);
      confirmed.remove(channel);
      if (connection != null) {
        unsubscribe(connection, channel.getBytes(UTF_8));
      }
    }
  }

  private void subscribe(String channel) {
    if (connection != null) {
      subscribe(connection, channel.getBytes(UTF_8));
    } else {
      connect();
    }
  }

  private void connect() {
    if (connecting || closed || subscribers.isEmpty()) {
      return;
    }
    connecting = true;
    try {
      backoff.run(this::connectNow);
    } catch (RejectedExecutionException timerClosed) {
      closed = true;
    } catch (Throwable e) {
      connecting = false;
      throw e;
    }
  }

  private void connectNow() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      attempt = ended;
    }
    try {
      Connecting.connect(
              client,
              () -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri),
              uri.getTimeout(),
              timer)
          .handle(this::connected)
          .thenCompose(unwanted -> unwanted)
          .whenComplete((nothing, failure) -> ended.complete(null));
    } catch (Error e) {
      ended.complete(null);
      var unused = connected(null, e);
    }
  }

  /**
   * Ends an attempt to connect: uses the new connection, closes it if the subscriptions are closed,
   * or plans the next attempt if there is none. The result completes when a connection that was
   * made is in use or closed.
   */
  private CompletableFuture<Void> connected(
      @Nullable StatefulRedisPubSubConnection<byte[], byte[]> made, @Nullable Throwable failure) {
    if (failure != null) {
      log.debug("No connection for subscriptions; trying again", failure);
      failures.accept(failure);
    }
    synchronized (this) {
      connecting = false;
      if (made == null) {
        backoff.failed();
        connect();
      } else if (closed) {
        return made.closeAsync();
      } else {
        backoff.succeeded();
        take(made);
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  private void subscribe(StatefulRedisPubSubConnection<byte[], byte[]> there, byte[] channel) {
    RedisFuture<Void> asked =
        sharded.getAsBoolean()
            ? there.async().ssubscribe(channel)
            : there.async().subscribe(channel);
    asked.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            log.debug("Could not subscribe to {}", new String(channel, UTF_8), failure);
            failures.accept(failure);
          }
        });
  }

  private void unsubscribe(StatefulRedisPubSubConnection<byte[], byte[]> there, byte[] channel) {
    if (sharded.getAsBoolean()) {
      there.dispatch(Request.of(Keyword.SUNSUBSCRIBE, new String(channel, UTF_8)));
    } else {
      there.async().unsubscribe(channel);
    }
  }

  @Override
  public void ssubscribed(byte[] channel, long count) {
    subscribed(channel, count);
  }

  @Override
  public void smessage(byte[] channel, byte[] message) {
    message(channel, message);
  }

  /**
   * Called when a subscription has ended: because this client wanted that, or because the server no
   * longer serves the channel's slot.
   */
  @Override
  public void sunsubscribed(byte[] channel, long count) {
    String name = new String(channel, UTF_8);
    boolean isWanted;
    synchronized (this) {
      confirmed.remove(name);
      isWanted = subscribers.containsKey(name);
    }
    if (isWanted) {
      failures.accept(Failures.notSent("channel " + name + " is served elsewhere", null));
    }
  }

  private void take(StatefulRedisPubSubConnection<byte[], byte[]> made) {
    connection = made;
    made.addListener(this);
    made.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
            disconnected(made);
          }
        });
    if (!made.isOpen()) {
      disconnected(made);
      return;
    }
    for (String channel : subscribers.keySet()) {
      subscribe(made, channel.getBytes(UTF_8));
    }
    if (!beating) {
      heard = true;
      beat();
    }
  }

  private synchronized void disconnected(StatefulRedisPubSubConnection<byte[], byte[]> lost) {
    if (connection == lost) {
      connection = null;
      confirmed.clear();
      connect();
    }
  }

  private synchronized void pulse() {
    beating = false;
    StatefulRedisPubSubConnection<byte[], byte[]> there = connection;
    if (closed || there == null) {
      return;
    }
    if (!heard) {
      there.closeAsync();
      disconnected(there);
      return;
    }
    heard = subscribers.isEmpty();
    subscribers.keySet().stream()
        .findFirst()
        .ifPresent(channel -> subscribe(there, channel.getBytes(UTF_8)));
    beat();
  }

  private void beat() {
    timer.schedule(PULSE, this::pulse);
    beating = true;
  }

  @Override
  public void subscribed(byte[] channel, long count) {
    String name = new String(channel, UTF_8);
    List<RegisteredSubscriber> those;
    synchronized (this) {
      heard = true;
      boolean begins = subscribers.containsKey(name) && confirmed.add(name);
      those = begins ? List.copyOf(subscribers.getOrDefault(name, Set.of())) : List.of();
    }
    those.forEach(RegisteredSubscriber::begun);
  }

  @Override
  public void message(byte[] channel, byte[] message) {
    List<RegisteredSubscriber> those;
    synchronized (this) {
      heard = true;
      those = List.copyOf(subscribers.getOrDefault(new String(channel, UTF_8), Set.of()));
    }
    those.forEach(each -> each.message(message));
  }

  /** Closes the current connection, because its server may no longer be the primary. */
  synchronized void renew() {
    StatefulRedisPubSubConnection<byte[], byte[]> there = connection;
    if (there != null) {
      CompletableFuture<Void> unused = there.closeAsync();
      disconnected(there);
    }
  }

  /**
   * Closes the subscriptions permanently; completes when the current connection, and a connection
   * that is still being made, have ended.
   */
  public synchronized CompletableFuture<Void> end() {
    closed = true;
    subscribers.clear();
    StatefulRedisPubSubConnection<byte[], byte[]> there = connection;
    connection = null;
    return there == null ? attempt : CompletableFuture.allOf(attempt, there.closeAsync());
  }
}
