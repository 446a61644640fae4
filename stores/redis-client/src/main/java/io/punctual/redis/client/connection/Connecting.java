package io.punctual.redis.client.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.punctual.redis.client.request.Failures;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a new connection accepts commands. Lettuce completes its own future too early if a
 * different thread resolved the credentials: the handshake then ends on that thread, while the
 * event loop has yet to activate the connection, and Lettuce refuses commands in between. So this
 * class also waits for the event that the connection is active. Thread-safe.
 */
final class Connecting<C extends StatefulConnection<byte[], byte[]>>
    implements RedisConnectionStateListener {
  /**
   * The message of Lettuce if the server ends the connection while Lettuce prepares its handshake.
   * It hides what the server says, for example about a missing password.
   */
  private static final String NO_HANDSHAKE = "RedisHandshakeHandler not registered";

  private static final int MAX_ATTEMPTS = 5;

  private final Supplier<? extends CompletionStage<C>> maker;
  private final CompletableFuture<C> usable = new CompletableFuture<>();
  private final AtomicInteger attempts = new AtomicInteger();

  /**
   * The client's connections that have become active since {@link #start}; some belong to other
   * callers.
   */
  private final Set<Object> active = ConcurrentHashMap.newKeySet();

  private volatile @Nullable C made;

  private Connecting(Supplier<? extends CompletionStage<C>> maker) {
    this.maker = maker;
  }

  /**
   * Makes a connection. The future fails if the connection does not accept commands within the
   * time-out. A connection that is made later is closed.
   */
  static <C extends StatefulConnection<byte[], byte[]>> CompletableFuture<C> connect(
      RedisClient client,
      Supplier<? extends CompletionStage<C>> maker,
      Duration timeout,
      DueTimer timer) {
    Connecting<C> connecting = new Connecting<>(maker);
    connecting.start(client, timeout, timer);
    return connecting.usable;
  }

  private void start(RedisClient client, Duration timeout, DueTimer timer) {
    try {
      Timeout late = timer.schedule(timeout, () -> late(timeout));
      client.addListener(this);
      usable.whenComplete(
          (connection, failure) -> {
            late.cancel();
            client.removeListener(this);
          });
    } catch (Throwable e) {
      usable.completeExceptionally(e);
      return;
    }
    attempt();
  }

  private void attempt() {
    try {
      maker.get().whenComplete(this::made);
    } catch (Throwable e) {
      usable.completeExceptionally(e);
    }
  }

  /** Returns whether to try again, because the server's answer to the handshake is unknown. */
  private boolean isAnswerUnknown(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (String.valueOf(cause.getMessage()).contains(NO_HANDSHAKE)) {
        return attempts.incrementAndGet() < MAX_ATTEMPTS && !usable.isDone();
      }
    }
    return false;
  }

  private void late(Duration timeout) {
    usable.completeExceptionally(
        Failures.notSent("no connection within " + timeout.toMillis() + " ms", null));
  }

  private void made(@Nullable C connection, @Nullable Throwable failure) {
    if (failure != null && isAnswerUnknown(failure)) {
      attempt();
      return;
    }
    if (connection == null) {
      usable.completeExceptionally(
          failure == null ? new RedisConnectionException("No connection was made") : failure);
      return;
    }
    made = connection;
    usable.whenComplete(
        (accepted, refused) -> {
          if (refused != null) {
            connection.closeAsync();
          }
        });
    if (active.contains(connection)) {
      usable.complete(connection);
    }
  }

  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
    active.add(handler);
    C connection = made;
    if (connection != null && connection.equals(handler)) {
      usable.complete(connection);
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
    if (handler.equals(made)) {
      usable.completeExceptionally(
          new RedisConnectionException("The server ended the connection at once"));
    }
  }
}
