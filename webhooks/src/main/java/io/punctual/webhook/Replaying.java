package io.punctual.webhook;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.http.webhook.WebhookAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Schedules again what the log says was delivered since a time. For one run. */
final class Replaying {
  private static final int PAGE = 500;

  private final Punctual punctual;
  private final DeliveryLog log;
  private final String target;
  private final Instant since;
  private final Set<List<String>> seen = new HashSet<>();
  private long scheduled;
  private long skipped;

  /**
   * What was done.
   *
   * @param scheduled the number of messages that are scheduled again
   * @param skipped the number of messages whose payload the log has not
   */
  record Done(long scheduled, long skipped) {}

  Replaying(Punctual punctual, DeliveryLog log, String target, Instant since) {
    this.punctual = punctual;
    this.log = log;
    this.target = target;
    this.since = since;
  }

  CompletionStage<Done> run() {
    return run(Optional.empty());
  }

  private CompletionStage<Done> run(Optional<String> cursor) {
    return log.page(target, cursor, PAGE)
        .thenCompose(
            page -> {
              boolean isEnd =
                  page.next().isEmpty()
                      || page.items().stream().anyMatch(each -> each.time().isBefore(since));
              return schedule(page.items())
                  .thenCompose(
                      done ->
                          isEnd
                              ? CompletableFuture.completedFuture(new Done(scheduled, skipped))
                              : run(page.next()));
            });
  }

  private CompletionStage<?> schedule(List<WebhookAttempt> attempts) {
    Map<String, List<Message<byte[]>>> byQueue = new HashMap<>();
    for (WebhookAttempt attempt : attempts) {
      if (attempt.time().isBefore(since)
          || attempt.outcome() != WebhookAttempt.Outcome.DELIVERED
          || attempt.queue().isEmpty()
          || !seen.add(List.of(attempt.queue(), attempt.id()))) {
        continue;
      }
      byte[] payload = attempt.payload();
      if (payload == null) {
        skipped++;
        continue;
      }
      byQueue
          .computeIfAbsent(attempt.queue(), name -> new ArrayList<>())
          .add(
              Message.of(payload).id(attempt.id()).headers(attempt.headers()).dueIn(Duration.ZERO));
    }
    List<CompletableFuture<?>> all = new ArrayList<>();
    byQueue.forEach((queue, messages) -> all.add(schedule(queue, messages)));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<?> schedule(String queue, List<Message<byte[]>> messages) {
    return punctual
        .queueAsync(queue, Codec.bytes())
        .thenCompose(opened -> opened.async().scheduleAll(messages, IfPresent.KEEP))
        .thenAccept(this::count)
        .toCompletableFuture();
  }

  private synchronized void count(List<Scheduled> outcomes) {
    scheduled += outcomes.size();
  }
}
