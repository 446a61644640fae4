package io.punctual.redis.client;

import io.punctual.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks how far the changes made over one connection have travelled: WAIT and WAITAOF, which look
 * only at what was written over their own connection before.
 *
 * <p>The server answers nothing else on the connection while it waits. So one question is under way
 * at a time, and all with the same durability that come meanwhile share a later one. Thread-safe.
 */
final class Confirmation {
  private final Connection wire;
  private final RedisSettings settings;
  private final Map<Durability, List<CompletableFuture<@Nullable String>>> waiting =
      new LinkedHashMap<>();
  private boolean asking;

  /** How long the question under way may take. */
  private volatile Duration longest = Duration.ZERO;

  Confirmation(Connection wire, RedisSettings settings) {
    this.wire = wire;
    this.settings = settings;
  }

  /** Returns for how long the server may answer nothing else. */
  Duration longest() {
    return longest;
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
    askNext();
    return answer;
  }

  private void askNext() {
    Durability durability;
    List<CompletableFuture<@Nullable String>> answers;
    synchronized (this) {
      asking = !waiting.isEmpty();
      if (!asking) {
        longest = Duration.ZERO;
        return;
      }
      durability = waiting.keySet().iterator().next();
      answers = Objects.requireNonNull(waiting.remove(durability));
      longest = settings.durabilityTimeout(durability);
    }
    CompletableFuture<?> unused =
        wire.send(request(durability))
            .handle(
                (counts, failure) ->
                    failure == null
                        ? missing(durability, counts)
                        : "the question was not answered: " + Failures.describe(failure))
            .whenComplete(
                (why, failure) -> {
                  askNext();
                  answers.forEach(answer -> answer.complete(failure == null ? why : "" + failure));
                });
  }

  private Request request(Durability durability) {
    String replicas = Integer.toString(durability.replicas());
    String millis = Long.toString(settings.durabilityTimeout(durability).toMillis());
    return durability.localDisk()
        ? Request.of(Keyword.WAITAOF, "1", replicas, millis)
        : Request.of(Keyword.WAIT, replicas, millis);
  }

  private @Nullable String missing(Durability durability, List<@Nullable Object> counts) {
    long millis = settings.durabilityTimeout(durability).toMillis();
    long replicas = number(counts, counts.size() - 1);
    if (durability.localDisk() && number(counts, 0) < 1) {
      return "the server's disk did not confirm within "
          + millis
          + " ms; with appendfsync everysec that can take more than a second, see durabilityTimeout";
    }
    if (replicas < durability.replicas()) {
      return "%d of %d replicas confirmed within %d ms"
          .formatted(replicas, durability.replicas(), millis);
    }
    return null;
  }

  private static long number(List<@Nullable Object> counts, int index) {
    return counts.get(index) instanceof Long count ? count : 0;
  }
}
