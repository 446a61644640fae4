package io.punctual.webhook;

import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
  private static final int MOST_KEYS = 10;

  /**
   * Longer than a change takes and than clocks differ; a process that ends in the middle keeps
   * others out so long.
   */
  private static final Duration LONGEST = Duration.ofMinutes(1);

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

  /**
   * Runs a change, unless another change of the target is running. Each change stores a mark with
   * an id of its own, and removes only that mark. If two changes begin together, at least one of
   * them finds the mark of the other, and is refused. A change also removes the marks whose time is
   * over, which processes left that ended in the middle of a change.
   */
  private <T> CompletionStage<T> alone(String name, Supplier<CompletionStage<T>> change) {
    String own = name + "/" + UUID.randomUUID();
    List<String> over = new ArrayList<>(List.of(own));
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletionStage<?> unused =
        records
            .mark(own, LONGEST)
            .thenCompose(done -> records.marks())
            .thenCompose(marks -> isAlone(name, own, marks, over) ? change.get() : refuse(name))
            .whenComplete(
                (changed, failure) ->
                    records
                        .removeMarks(over)
                        .whenComplete((done, notDone) -> end(result, changed, failure)));
    return result;
  }

  private boolean isAlone(String name, String own, Map<String, Instant> marks, List<String> over) {
    Instant now = context.clock().instant();
    boolean isAlone = true;
    for (Map.Entry<String, Instant> mark : marks.entrySet()) {
      if (!mark.getValue().isAfter(now)) {
        over.add(mark.getKey());
      } else if (mark.getKey().startsWith(name + "/") && !mark.getKey().equals(own)) {
        isAlone = false;
      }
    }
    return isAlone;
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

  private static <T> CompletionStage<T> refuse(String name) {
    return CompletableFuture.failedFuture(
        new IllegalStateException(
            "somebody else changes the webhook " + name + " now; send the change again"));
  }
}
