package io.punctual.redis.client.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;

/**
 * One connection to a server. If a reply does not arrive within the time-out, the connection is
 * closed, because the replies after it would be late as well. All requests in flight then fail, and
 * the next request uses a new connection. Thread-safe.
 */
public final class Connection {
  private static final Logger log = Logs.of(Connection.class);

  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final DueTimer timer;
  private final Duration timeout;
  private final int limit;
  private final boolean proxy;
  private final DurabilityWait confirmation;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile boolean ended;

  Connection(
      StatefulRedisConnection<byte[], byte[]> connection, RedisSettings settings, DueTimer timer) {
    this.connection = connection;
    this.timer = timer;
    this.timeout = settings.commandTimeout();
    this.limit = settings.requestQueue();
    this.proxy = settings.proxy();
    this.confirmation = new DurabilityWait(this, settings);
  }

  DurabilityWait confirmation() {
    return confirmation;
  }

  boolean isOpen() {
    return !ended && connection.isOpen();
  }

  /**
   * Sends a request; never throws. The future fails with a {@link RedisCallException}, or with
   * Lettuce's exception if the server lacks the script.
   */
  CompletableFuture<List<Object>> send(Request request) {
    return send(request, Duration.ZERO);
  }

  /**
   * Sends a request with a time-out that is longer by the time for which the server itself waits.
   */
  CompletableFuture<List<Object>> send(Request request, Duration serverWaits) {
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    if (inFlight.incrementAndGet() > limit) {
      inFlight.decrementAndGet();
      answer.completeExceptionally(tooMany());
      return answer;
    }
    AsyncCommand<byte[], byte[], List<Object>> sent = new AsyncCommand<>(request);
    Duration bound = timeout.plus(serverWaits);
    Timeout late;
    try {
      late = timer.schedule(bound, () -> late(answer, bound));
    } catch (Throwable e) { // the timer is closed, or memory is short
      inFlight.decrementAndGet();
      answer.completeExceptionally(Failures.of(e, false));
      return answer;
    }
    sent.whenComplete(
        (reply, failure) -> {
          late.cancel();
          inFlight.decrementAndGet();
          if (failure == null) {
            answer.complete(reply);
          } else {
            fail(answer, request, failure);
          }
        });
    dispatch(sent, answer, request);
    return answer;
  }

  private void dispatch(
      AsyncCommand<byte[], byte[], List<Object>> sent,
      CompletableFuture<List<Object>> answer,
      Request request) {
    try {
      connection.dispatch(sent);
    } catch (Throwable e) {
      sent.completeExceptionally(e);
      fail(answer, request, e);
    }
  }

  private void fail(CompletableFuture<List<Object>> answer, Request request, Throwable failure) {
    // A request that was not written shows that the connection is lost.
    if (Failures.isWrongServer(failure) || !request.isWritten()) {
      close();
    }
    answer.completeExceptionally(
        Failures.isNoScript(failure) ? failure : Failures.of(failure, request.isWritten(), proxy));
  }

  private void late(CompletableFuture<List<Object>> answer, Duration bound) {
    if (answer.isDone()) {
      return;
    }
    ended = true;
    answer.completeExceptionally(
        new RedisCallException.Unanswered(
            "Redis did not answer within " + bound.toMillis() + " ms; connecting anew", null));
    close();
  }

  private static RedisCallException tooMany() {
    return Failures.notSent(
        "too many requests wait for an answer. Send less at once, or raise requestQueue", null);
  }

  /**
   * Closes the connection; completes when it has ended. A second call only returns the same future.
   */
  CompletableFuture<Void> close() {
    ended = true;
    if (closing.compareAndSet(false, true)) {
      connection
          .closeAsync()
          .whenComplete(
              (nothing, failure) -> {
                if (failure != null) {
                  log.debug("A connection did not end in order", failure);
                }
                closed.complete(null);
              });
    }
    return closed;
  }
}
