package io.punctual.webhook;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.ScheduleOutcome;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The changes of targets by people. A change reads the target of the store, and writes it; all
 * processes together have one change of a target at a time, so that none is lost. Thread-safe.
 */
final class Changes {
  private static final String CHANGE = "change/";
  private static final int MOST_KEYS = 10;

  /** Longer than a change takes; a process that ends in the middle keeps others out so long. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final Context context;
  private final Records records;
  private final Targets targets;

  Changes(Context context, Targets targets) {
    this.context = context;
    this.records = context.records();
    this.targets = targets;
  }

  /** Stores a new target with its first key, or changes a target, which keeps its keys. */
  CompletionStage<WebhookView> put(WebhookSpec spec, Optional<WebhookKey> first) {
    String name = spec.name();
    return alone(name, () -> records.target(name).thenCompose(before -> put(spec, first, before)));
  }

  private CompletionStage<WebhookView> put(
      WebhookSpec spec, Optional<WebhookKey> first, Optional<WebhookRecord> before) {
    if (first.isEmpty()) {
      WebhookRecord record = new WebhookRecord(spec, there(before).keys());
      return records.save(record).thenApply(done -> targets.put(record).view());
    }
    if (before.isPresent() && !targets.isStored(spec.name())) {
      throw new IllegalStateException("somebody else has just made the webhook " + spec.name());
    }
    WebhookRecord record = new WebhookRecord(spec, List.of(first.get()));
    return records.saveNew(record).thenApply(done -> targets.put(record).view());
  }

  private static WebhookRecord there(Optional<WebhookRecord> stored) {
    return stored.orElseThrow(() -> new IllegalStateException("the webhook is gone"));
  }

  CompletionStage<Void> delete(String name) {
    return alone(
            name,
            () ->
                records
                    .delete(name)
                    .thenCompose(
                        done -> {
                          targets.remove(name);
                          return context.log().delete(name);
                        }))
        .thenAccept(done -> {});
  }

  /** Adds a key; the others sign beside it for some time. */
  CompletionStage<WebhookView> rotate(String name, WebhookKey key, Duration overlap) {
    return alone(
        name,
        () ->
            records
                .target(name)
                .thenCompose(
                    before -> {
                      WebhookRecord record = rotated(there(before), key, overlap);
                      return records.save(record).thenApply(done -> targets.put(record).view());
                    }));
  }

  private WebhookRecord rotated(WebhookRecord before, WebhookKey key, Duration overlap) {
    Instant now = context.clock().instant();
    List<WebhookKey> keys = new ArrayList<>();
    for (WebhookKey old : before.keys()) {
      WebhookKey ending = old.endingAt(now.plus(overlap));
      if (ending.signsAt(now)) {
        keys.add(ending);
      }
    }
    keys.add(key);
    if (keys.size() > MOST_KEYS) {
      throw new IllegalStateException(
          "the webhook has " + (keys.size() - 1) + " keys that sign; wait until one of them ends");
    }
    return new WebhookRecord(before.spec(), keys);
  }

  /** Runs a change, unless another one of the target runs, which has left its mark. */
  private <T> CompletionStage<T> alone(String name, Supplier<CompletionStage<T>> change) {
    Message<byte[]> mark =
        Message.of(new byte[0]).id(CHANGE + name).dueAt(context.clock().instant().plus(LONGEST));
    return records
        .queue()
        .thenCompose(queue -> queue.async().schedule(mark, IfPresent.REJECT))
        .thenCompose(
            marked ->
                marked.outcome() == ScheduleOutcome.REJECTED ? refuse(name) : run(name, change));
  }

  private <T> CompletionStage<T> run(String name, Supplier<CompletionStage<T>> change) {
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletionStage<?> unused =
        CompletableFuture.completedFuture(change)
            .thenCompose(Supplier::get)
            .whenComplete(
                (changed, failure) ->
                    records
                        .cancel(CHANGE + name)
                        .whenComplete((done, notDone) -> end(result, changed, failure)));
    return result;
  }

  private static <T> void end(CompletableFuture<T> result, T changed, @Nullable Throwable failure) {
    if (failure == null) {
      result.complete(changed);
    } else {
      result.completeExceptionally(
          failure instanceof CompletionException known && known.getCause() != null
              ? known.getCause()
              : failure);
    }
  }

  /** The mark of a process that has ended goes away, so that the next change runs. */
  private <T> CompletionStage<T> refuse(String name) {
    return records
        .queue()
        .thenCompose(queue -> queue.async().find(CHANGE + name))
        .thenCompose(
            mark ->
                mark.filter(known -> !known.dueAt().isAfter(context.clock().instant())).isPresent()
                    ? records.cancel(CHANGE + name)
                    : CompletableFuture.completedFuture(null))
        .thenCompose(
            done ->
                CompletableFuture.failedFuture(
                    new IllegalStateException(
                        "somebody else changes the webhook "
                            + name
                            + " now; send the change again")));
  }
}
