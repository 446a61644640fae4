package io.punctual.redis.client.deployment;

import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Script;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the calls about a key in order when the key moves to a different server of a Cluster. The
 * first call over the new connection is sent only after all calls over the old connection have
 * their replies or have failed. Thread-safe.
 */
public final class OrderedRoute {
  private static final Logger log = Logs.of(OrderedRoute.class);

  private final Deployment deployment;
  private final byte[] key;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Departure> waiting = new LinkedList<>();

  private @Nullable ReconnectingConnection current;
  private int inFlight;

  /** Whether a thread is sending the waiting calls. Meanwhile, new calls wait behind them. */
  private boolean isSending;

  private record Departure(ReconnectingConnection link, Runnable leave) {}

  public OrderedRoute(Deployment deployment, byte[] key) {
    this.deployment = deployment;
    this.key = key;
  }

  /**
   * Runs a script. If earlier calls still wait for replies over a different connection, the script
   * is sent after these replies.
   */
  public CompletableFuture<RedisReply> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    ReconnectingConnection link = deployment.link(key);
    return send(link, () -> link.run(script, keys, argv));
  }

  private <T> CompletableFuture<T> send(
      ReconnectingConnection link, Supplier<CompletableFuture<T>> sending) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Departure departure = new Departure(link, () -> leave(sending, answer));
    synchronized (this) {
      if (isSending || !waiting.isEmpty() || (inFlight > 0 && current != link)) {
        waiting.add(departure);
        return answer;
      }
      current = link;
      inFlight++;
    }
    departure.leave.run();
    return answer;
  }

  /** Sends a call. If an error strikes, the call ends, so that the next calls are sent. */
  private <T> void leave(Supplier<CompletableFuture<T>> sending, CompletableFuture<T> answer) {
    try {
      sending.get().whenComplete((value, failure) -> ended(answer, value, failure));
    } catch (Throwable e) {
      ended(answer, null, e);
    }
  }

  private <T> void ended(
      CompletableFuture<T> answer, @Nullable T value, @Nullable Throwable failure) {
    arrived();
    for (Departure next = next(false); next != null; next = next(true)) {
      try {
        next.leave.run();
      } catch (Throwable e) {
        log.warn("A request could not end; the next ones are sent", e);
      }
    }
    if (failure == null) {
      answer.complete(value);
    } else {
      answer.completeExceptionally(failure);
    }
  }

  /** Notes a reply. */
  private synchronized void arrived() {
    inFlight--;
  }

  /**
   * Removes and returns the next waiting call that may be sent now; null if there is none, or if a
   * different thread is sending the waiting calls.
   *
   * @param goesOn whether the caller has just sent a waiting call
   */
  private synchronized @Nullable Departure next(boolean goesOn) {
    if (isSending && !goesOn) {
      return null;
    }
    Departure next = waiting.peek();
    isSending = next != null && (inFlight == 0 || current == next.link);
    if (next == null || !isSending) {
      return null;
    }
    waiting.remove();
    current = next.link;
    inFlight++;
    return next;
  }
}
