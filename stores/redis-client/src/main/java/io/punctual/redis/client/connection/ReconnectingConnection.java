package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.timer.DueTimer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server that is opened on demand, and opened again after it is lost. Requests
 * are sent in the order in which callers submit them. Requests that are submitted while the
 * connection is being opened wait for it, and fail if the opening fails. No request is sent twice,
 * with one exception: a script that the server has forgotten, and therefore has not run, is sent
 * again with its text.
 *
 * <p>{@link #lock} guards the state. Requests over an open connection are sent without the lock;
 * each thread's requests stay in order. Thread-safe.
 */
public final class ReconnectingConnection implements AutoCloseable {
  private final RedisClient client;
  private final RedisURI uri;
  private final RedisSettings settings;
  private final DueTimer timer;
  private final NodeIdentity identity;
  private final Consumer<Throwable> failures;
  private final ConnectBackoff backoff;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile @Nullable Connection current;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Waiting> waiting = new LinkedList<>();

  private boolean connecting;

  /**
   * Completes when the last attempt to connect has ended. If the attempt made a connection that was
   * not used, completes after that connection has ended.
   */
  private CompletableFuture<Void> attempt = CompletableFuture.completedFuture(null);

  private boolean outdated;
  private boolean closed;

  private record Waiting(Request request, CompletableFuture<RedisReply> answer) {}

  ReconnectingConnection(
      RedisClient client,
      RedisURI uri,
      RedisSettings settings,
      DueTimer timer,
      NodeIdentity identity,
      Consumer<Throwable> failures) {
    this.client = client;
    this.uri = uri;
    this.settings = settings;
    this.timer = timer;
    this.identity = identity;
    this.failures = failures;
    this.backoff = new ConnectBackoff(timer);
  }

  public CompletableFuture<RedisReply> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    CompletableFuture<RedisReply> answer = new CompletableFuture<>();
    send(Request.byName(script, keys, argv))
        .whenComplete(
            (reply, failure) -> {
              if (failure == null) {
                answer.complete(reply);
              } else if (Failures.isNoScript(failure)) {
                forward(send(Request.byText(script, keys, argv)), answer);
              } else {
                answer.completeExceptionally(failure);
              }
            });
    return answer;
  }

  private static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            to.complete(value);
          } else {
            to.completeExceptionally(Failures.of(failure, false));
          }
        });
  }

  /** Sends a request over the open connection, or over the next connection that is opened. */
  public CompletableFuture<RedisReply> send(Request request) {
    CompletableFuture<RedisReply> answer = new CompletableFuture<>();
    Connection there = current;
    if (there != null && there.isOpen()) {
      send(there, request, answer);
    } else {
      await(request, answer);
    }
    return answer;
  }

  private void send(Connection connection, Request request, CompletableFuture<RedisReply> answer) {
    try {
      connection
          .send(request)
          .whenComplete((values, failure) -> answered(connection, answer, values, failure));
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private void answered(
      Connection connection,
      CompletableFuture<RedisReply> answer,
      List<Object> values,
      @Nullable Throwable failure) {
    if (failure == null) {
      answer.complete(new RedisReply(values, connection));
    } else {
      failures.accept(failure);
      answer.completeExceptionally(failure);
    }
  }

  private void await(Request request, CompletableFuture<RedisReply> answer) {
    String refusal = null;
    lock.lock();
    try {
      Connection there = current;
      if (closed) {
        refusal = "this connection has been closed";
      } else if (there != null && there.isOpen()) {
        send(there, request, answer);
      } else if (waiting.size() >= settings.requestQueue()) {
        refusal = "too many requests wait for a connection";
      } else {
        waiting.add(new Waiting(request, answer));
        connect();
        if ((closed || !connecting) && waiting.removeIf(each -> each.answer == answer)) {
          refusal = "the timer of this connection has been closed, or has failed";
        }
      }
    } finally {
      lock.unlock();
    }
    if (refusal != null) {
      answer.completeExceptionally(Failures.notSent(refusal, null));
    }
  }

  private void connect() {
    if (!connecting) {
      connecting = true;
      try {
        backoff.run(this::connectNow);
      } catch (RejectedExecutionException timerClosed) {
        closed = true;
      } catch (Throwable e) { // for example because memory is short; the next request tries again
        connecting = false;
      }
    }
  }

  private void connectNow() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      attempt = ended;
    } finally {
      lock.unlock();
    }
    try {
      Connecting.connect(
              client,
              () -> client.connectAsync(ByteArrayCodec.INSTANCE, uri),
              settings.connectTimeout(),
              timer)
          .thenCompose(this::recognized)
          .handle(this::connected)
          .thenCompose(unwanted -> unwanted)
          .whenComplete((nothing, failure) -> ended.complete(null));
    } catch (RuntimeException | Error e) {
      ended.complete(null);
      CompletableFuture<Void> unused = connected(null, e);
    }
  }

  /**
   * Completes with the same connection if its server is the expected node, or cannot say which node
   * it is; otherwise closes the connection, and fails.
   */
  private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> recognized(
      StatefulRedisConnection<byte[], byte[]> connection) {
    String expected = identity.expected().get();
    if (expected == null) {
      return CompletableFuture.completedFuture(connection);
    }
    return new Connection(connection, settings, timer)
        .send(Request.of(CommandType.CLUSTER, "MYID"))
        .handle(
            (reply, failure) -> {
              if (failure == null
                  && reply.get(0) instanceof byte[] id
                  && !expected.equals(new String(id, UTF_8))) {
                connection.closeAsync();
                identity.different().run();
                throw Failures.notSent("the address belongs to a different node now", null);
              }
              return connection;
            });
  }

  /**
   * Ends an attempt to connect: uses the new connection, closes it if it is no longer wanted, or
   * fails the waiting requests if there is none. The result completes when a connection that was
   * made is in use or closed.
   */
  private CompletableFuture<Void> connected(
      @Nullable StatefulRedisConnection<byte[], byte[]> connection, @Nullable Throwable failure) {
    List<Waiting> failed = List.of();
    boolean unwanted;
    lock.lock();
    try {
      connecting = false;
      unwanted = closed || outdated;
      if (outdated && !closed) {
        outdated = false;
        connect();
      } else if (connection == null || closed) {
        backoff.failed();
      } else {
        backoff.succeeded();
        take(connection);
      }
      if (!connecting || closed) {
        failed = List.copyOf(waiting);
        waiting.clear();
      }
    } finally {
      lock.unlock();
    }
    Throwable why =
        failure == null
            ? new IllegalStateException("the store was closed")
            : Failures.unwrap(failure);
    if (failure != null) {
      failures.accept(why);
    }
    failed.forEach(w -> w.answer.completeExceptionally(Failures.of(why, false)));
    return connection != null && unwanted
        ? connection.closeAsync()
        : CompletableFuture.completedFuture(null);
  }

  private void take(StatefulRedisConnection<byte[], byte[]> connection) {
    Connection fresh = new Connection(connection, settings, timer);
    for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
      send(fresh, next.request, next.answer);
    }
    current = fresh;
  }

  /** Closes the current connection, because its server may no longer be the primary. */
  void renew() {
    Connection there;
    lock.lock();
    try {
      outdated = connecting;
      there = current;
    } finally {
      lock.unlock();
    }
    if (there != null) {
      CompletableFuture<Void> unused = there.close();
    }
  }

  @Override
  public void close() {
    CompletableFuture<Void> unused = end();
  }

  /**
   * Closes this connection permanently; completes when the current connection, and a connection
   * that is still being made, have ended.
   */
  CompletableFuture<Void> end() {
    List<Waiting> failed;
    CompletableFuture<Void> ended;
    lock.lock();
    try {
      closed = true;
      failed = new ArrayList<>(waiting);
      waiting.clear();
      Connection there = current;
      ended = there == null ? attempt : CompletableFuture.allOf(attempt, there.close());
    } finally {
      lock.unlock();
    }
    failed.forEach(
        w ->
            w.answer.completeExceptionally(
                Failures.notSent("this connection has been closed", null)));
    return ended;
  }
}
