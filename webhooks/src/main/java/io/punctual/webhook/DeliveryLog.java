package io.punctual.webhook;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of each target, as messages that are due when they may be forgotten. A process writes
 * the newest calls of a target over its oldest, so their number is bounded. Calls are written
 * together a few times a second; if the store does not take them, they are only in the figures.
 * Thread-safe.
 */
final class DeliveryLog {
  /** How long a call is kept. */
  static final Duration KEPT = Duration.ofDays(3);

  /** How many calls of a target a process keeps. */
  static final int MOST_KEPT = 1000;

  /** The largest payload of a delivered message that is kept for a replay. */
  static final int MOST_PAYLOAD = 16 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(DeliveryLog.class);
  private static final String QUEUES = WebhookSpec.OWN_QUEUES + "webhook-log.";
  private static final Duration PERIOD = Duration.ofMillis(200);
  private static final int MOST_WAITING = 10_000;
  private static final int MOST_FORGOTTEN = 1000;

  private final Punctual punctual;
  private final DueTimer timer;
  private final Executor executor;
  private final String process = UUID.randomUUID().toString().substring(0, 8);
  private final Map<String, Integer> slots = new ConcurrentHashMap<>();
  private Map<String, List<WebhookAttempt>> waiting = new HashMap<>();
  private int waitingCount;
  private boolean scheduled;

  /**
   * Creates it.
   *
   * @param executor writes, which takes too long for the timer's thread
   */
  DeliveryLog(Punctual punctual, DueTimer timer, Executor executor) {
    this.punctual = punctual;
    this.timer = timer;
    this.executor = executor;
  }

  private CompletionStage<TimedQueue<byte[]>> queue(String target) {
    return punctual.queueAsync(QUEUES + target, Codec.bytes());
  }

  synchronized void add(String target, WebhookAttempt attempt) {
    if (waitingCount == MOST_WAITING) {
      return;
    }
    waitingCount++;
    waiting.computeIfAbsent(target, name -> new ArrayList<>()).add(attempt);
    if (!scheduled) {
      try {
        timer.schedule(PERIOD, this::flushSoon);
        scheduled = true;
      } catch (RejectedExecutionException e) {
        // The process ends, and flushes once more.
      }
    }
  }

  private void flushSoon() {
    synchronized (this) {
      scheduled = false; // first: after an error, the next call plans it again
    }
    executor.execute(this::flush);
  }

  /** Writes the calls that wait. The stage does not fail. */
  CompletionStage<@Nullable Void> flush() {
    Map<String, List<WebhookAttempt>> all;
    synchronized (this) {
      all = waiting;
      waiting = new HashMap<>();
      waitingCount = 0;
    }
    List<CompletableFuture<?>> writes = new ArrayList<>();
    all.forEach((target, attempts) -> writes.add(write(target, attempts).toCompletableFuture()));
    return CompletableFuture.allOf(writes.toArray(CompletableFuture<?>[]::new))
        .exceptionally(
            failure -> {
              LOG.warn("Calls of webhooks are missing in their log: {}", failure.toString());
              return null;
            });
  }

  private CompletionStage<?> write(String target, List<WebhookAttempt> attempts) {
    List<WebhookAttempt> newest =
        attempts.subList(Math.max(0, attempts.size() - MOST_KEPT), attempts.size());
    List<Message<byte[]>> messages = new ArrayList<>();
    for (WebhookAttempt attempt : newest) {
      int slot = slots.merge(target, 1, (number, one) -> (number + one) % MOST_KEPT);
      messages.add(
          Message.of(attempt.toBytes()).id(process + "-" + slot).dueAt(attempt.time().plus(KEPT)));
    }
    return queue(target)
        .thenCompose(queue -> queue.async().scheduleAll(messages, IfPresent.REPLACE));
  }

  /** Returns calls of a target, the newest first, with the payloads. */
  CompletionStage<Page<WebhookAttempt>> page(String target, Optional<String> cursor, int limit) {
    MessageQuery newest = MessageQuery.of(State.SCHEDULED).newestFirst().limit(limit);
    MessageQuery query = cursor.map(newest::after).orElse(newest);
    return flush()
        .thenCompose(flushed -> queue(target))
        .thenCompose(queue -> queue.async().browse(query))
        .thenApply(
            page ->
                new Page<>(
                    page.items().stream().flatMap(each -> parse(each).stream()).toList(),
                    page.next()));
  }

  private static Optional<WebhookAttempt> parse(StoredMessage<byte[]> message) {
    try {
      return Optional.of(WebhookAttempt.parse(message.payloadBytes()));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // A later version wrote it.
    }
  }

  /** Removes the calls that may be forgotten. */
  CompletionStage<List<Message<byte[]>>> forget(String target) {
    return queue(target)
        .thenCompose(queue -> queue.async().take(MOST_FORGOTTEN, ClaimOptions.DEFAULT))
        .thenCompose(
            taken ->
                taken.size() == MOST_FORGOTTEN
                    ? forget(target)
                    : CompletableFuture.completedFuture(taken));
  }

  CompletionStage<?> delete(String target) {
    slots.remove(target);
    return punctual.purgeAndDeleteQueueAsync(QUEUES + target);
  }
}
