package io.punctual.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane's calls in order although they use two connections, one for calls that wait for
 * replicas or disks and one for the others: a call leaves over the one only when those that left
 * over the other have been carried out. Thread-safe.
 */
final class Route {
  private final ArrayDeque<Departure> waiting = new ArrayDeque<>();
  private @Nullable Link current;
  private int underWay;

  private record Departure(Link link, Runnable leave) {}

  /** Sends over {@code link} when it is time to. */
  <T> CompletableFuture<T> send(Link link, Supplier<CompletableFuture<T>> sending) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Departure departure = new Departure(link, () -> leave(sending, answer));
    synchronized (this) {
      if (!waiting.isEmpty() || (underWay > 0 && current != link)) {
        waiting.add(departure);
        return answer;
      }
      current = link;
      underWay++;
    }
    departure.leave.run();
    return answer;
  }

  private <T> void leave(Supplier<CompletableFuture<T>> sending, CompletableFuture<T> answer) {
    sending
        .get()
        .whenComplete(
            (value, failure) -> {
              arrived().forEach(departure -> departure.leave.run());
              if (failure == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /** Returns those whose turn it is now. */
  private synchronized List<Departure> arrived() {
    List<Departure> next = new ArrayList<>();
    if (--underWay == 0 && !waiting.isEmpty()) {
      Link link = waiting.element().link;
      current = link;
      while (!waiting.isEmpty() && waiting.element().link == link) {
        next.add(waiting.remove());
        underWay++;
      }
    }
    return next;
  }
}
