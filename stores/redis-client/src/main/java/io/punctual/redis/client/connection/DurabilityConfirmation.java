package io.punctual.redis.client.connection;

import io.punctual.Durability;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Confirms the durability of changes over a connection, by WAIT and WAITAOF. These commands cover
 * only changes of their own connection.
 *
 * <p>The server runs no other command of the connection during WAIT. So only one question is in
 * flight at a time, and all callers that wait for the same durability share the next question.
 * Thread-safe.
 */
final class DurabilityConfirmation {
  private static final Logger log = Logs.of(DurabilityConfirmation.class);

  /**
   * How long a verdict of distrust holds. After this time, an operator may have corrected the
   * server's configuration.
   */
  private static final long DISTRUST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Connection wire;
  private final RedisSettings settings;
  private final Map<Durability, Question> waiting = new LinkedHashMap<>();
  private boolean asking;

  /**
   * The longest time for which the question in flight can hold up the connection; zero if no
   * question is in flight.
   */
  private volatile Duration longest = Duration.ZERO;

  /**
   * Whether the server confirms only changes that are on its disk; null before the first probe. A
   * new connection probes its server again, because a different server may answer after a
   * fail-over.
   */
  private volatile @Nullable Verdict verdict;

  /** The result of a probe: null if WAITAOF can be trusted, or the reason why not. */
  private record Verdict(@Nullable String why, long atNanos) {
    boolean holds() {
      return why == null || System.nanoTime() - atNanos < DISTRUST_NANOS;
    }
  }

  /** The callers that wait for the same durability, and a key that the first caller wrote. */
  private record Question(String key, List<CompletableFuture<@Nullable String>> answers) {}

  DurabilityConfirmation(Connection wire, RedisSettings settings) {
    this.wire = wire;
    this.settings = settings;
  }

  /**
   * Returns the longest time for which the question in flight can keep the server from the next
   * commands of the connection.
   */
  Duration longest() {
    return longest;
  }

  /**
   * Asks whether all earlier changes over this connection are durable. If the disk has to confirm,
   * the server is probed first, unless the verdict of an earlier probe still holds.
   *
   * @param key a key that was written over the connection
   * @return null if the changes are durable, or the reason why there is no confirmation, for the
   *     user. The future fails with {@link RedisCallException} if a request failed
   */
  CompletableFuture<@Nullable String> ask(Durability durability, String key) {
    CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting
          .computeIfAbsent(durability, d -> new Question(key, new ArrayList<>()))
          .answers()
          .add(answer);
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
    Question question;
    synchronized (this) {
      asking = !waiting.isEmpty();
      if (!asking) {
        longest = Duration.ZERO;
        return;
      }
      durability = waiting.keySet().iterator().next();
      question = Objects.requireNonNull(waiting.remove(durability));
      longest = settings.durabilityTimeout(durability);
    }
    CompletableFuture<?> unused =
        trust(durability, question.key())
            .thenCompose(
                why -> why == null ? count(durability) : CompletableFuture.completedFuture(why))
            .whenComplete(
                (why, failure) -> {
                  askNext();
                  question.answers().forEach(answer -> end(answer, why, failure));
                });
  }

  private static void end(
      CompletableFuture<@Nullable String> answer,
      @Nullable String why,
      @Nullable Throwable failure) {
    if (failure == null) {
      answer.complete(why);
    } else {
      answer.completeExceptionally(Failures.unwrap(failure));
    }
  }

  private CompletableFuture<@Nullable String> trust(Durability durability, String key) {
    return durability.localDisk() ? trustDisk(key) : CompletableFuture.completedFuture(null);
  }

  /**
   * Returns the verdict of the last probe if it still holds, or else probes the server.
   *
   * @param key a key of a slot that the server serves
   * @return null if WAITAOF can be trusted, or the reason why not, for the user
   */
  private CompletableFuture<@Nullable String> trustDisk(String key) {
    Verdict known = verdict;
    if (known != null && known.holds()) {
      return CompletableFuture.completedFuture(known.why());
    }
    return DiskProbe.beside(key, wire)
        .run()
        .thenApply(
            why -> {
              if (why != null && (known == null || known.why() == null)) {
                log.warn("Changes are stored, but their durability is not confirmed: {}", why);
              }
              verdict = new Verdict(why, System.nanoTime());
              return why;
            });
  }

  private CompletableFuture<@Nullable String> count(Durability durability) {
    return wire.send(request(durability)).thenApply(counts -> missing(durability, counts));
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
          + " ms; with appendfsync everysec that can take more than a second, see"
          + " durabilityTimeout";
    }
    if (replicas < durability.replicas()) {
      return String.format(
          Locale.ROOT,
          "%d of %d replicas confirmed within %d ms",
          replicas,
          durability.replicas(),
          millis);
    }
    return null;
  }

  private static long number(List<@Nullable Object> counts, int index) {
    return counts.get(index) instanceof Long count ? count : 0;
  }
}
