package io.punctual.redis.client;

import io.punctual.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks how far the changes made over one connection have travelled: WAIT and WAITAOF, which look
 * only at what was written over their own connection before.
 *
 * <p>The server answers nothing else on the connection while it waits, so one question is asked at
 * a time, and whoever comes meanwhile shares the next one. Thread-safe.
 */
final class Confirmation {
  private final Wire wire;
  private final Duration timeout;
  private Map<Durability, List<CompletableFuture<@Nullable String>>> waiting = new HashMap<>();
  private boolean asking;

  Confirmation(Wire wire, Duration timeout) {
    this.wire = wire;
    this.timeout = timeout;
  }

  /** Completes with null, or with why there is no confirmation, for the user. Never fails. */
  CompletableFuture<@Nullable String> ask(Durability durability) {
    CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting.computeIfAbsent(durability, d -> new ArrayList<>()).add(answer);
      if (asking) {
        return answer;
      }
      asking = true;
    }
    askAll();
    return answer;
  }

  private void askAll() {
    Map<Durability, List<CompletableFuture<@Nullable String>>> those;
    synchronized (this) {
      those = waiting;
      waiting = new HashMap<>();
      asking = !those.isEmpty();
    }
    if (those.isEmpty()) {
      return;
    }
    List<CompletableFuture<?>> questions = new ArrayList<>();
    those.forEach((durability, answers) -> questions.add(askOnce(durability, answers)));
    CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
        .whenComplete((all, failure) -> askAll());
  }

  private CompletableFuture<?> askOnce(
      Durability durability, List<CompletableFuture<@Nullable String>> answers) {
    return wire.send(request(durability))
        .handle(
            (counts, failure) ->
                failure == null
                    ? missing(durability, counts)
                    : "the question was not answered: " + Failures.describe(failure))
        .thenAccept(why -> answers.forEach(answer -> answer.complete(why)));
  }

  private Request request(Durability durability) {
    String replicas = Integer.toString(durability.replicas());
    String millis = Long.toString(timeout.toMillis());
    return durability.localDisk()
        ? Request.of(Keyword.WAITAOF, "1", replicas, millis)
        : Request.of(Keyword.WAIT, replicas, millis);
  }

  private @Nullable String missing(Durability durability, List<@Nullable Object> counts) {
    long replicas = number(counts, counts.size() - 1);
    if (durability.localDisk() && number(counts, 0) < 1) {
      return "the server's disk did not confirm within " + timeout.toMillis() + " ms";
    }
    if (replicas < durability.replicas()) {
      return "%d of %d replicas confirmed within %d ms"
          .formatted(replicas, durability.replicas(), timeout.toMillis());
    }
    return null;
  }

  private static long number(List<@Nullable Object> counts, int index) {
    return counts.get(index) instanceof Long count ? count : 0;
  }
}
