package io.punctual.redis.client.deployment;

import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Script;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the calls about a key in order when the key moves to a different server of a Cluster. The
 * first call over the new connection is sent only after all calls over the old connection have
 * their replies or have failed. Thread-safe.
 */
public final class OrderedRoute {
  private final Deployment deployment;
  private final byte[] key;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Departure> waiting = new LinkedList<>();

  private @Nullable ReconnectingConnection current;
  private int inFlight;

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
      if (!waiting.isEmpty() || (inFlight > 0 && current != link)) {
        waiting.add(departure);
        return answer;
      }
      current = link;
      inFlight++;
    }
    departure.leave.run();
    return answer;
  }

  private <T> void leave(Supplier<CompletableFuture<T>> sending, CompletableFuture<T> answer) {
    sent(sending)
        .whenComplete(
            (value, failure) -> {
              arrived();
              for (Departure next = next(); next != null; next = next()) {
                next.leave.run();
              }
              if (failure == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /**
   * Sends a call. What is thrown becomes a failed future, so that the next calls are sent
   * nevertheless.
   */
  private static <T> CompletableFuture<T> sent(Supplier<CompletableFuture<T>> sending) {
    try {
      return sending.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Notes a reply. */
  private synchronized void arrived() {
    inFlight--;
  }

  /** Removes and returns the next waiting call that may be sent now; null if there is none. */
  private synchronized @Nullable Departure next() {
    Departure next = waiting.peek();
    if (next == null || (inFlight > 0 && current != next.link)) {
      return null;
    }
    waiting.remove();
    current = next.link;
    inFlight++;
    return next;
  }
}
