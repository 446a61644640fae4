package io.punctual.webhook;

import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
    String name = spec.name();
    boolean isKnown = targets.isStored(name) && targets.find(name).isEmpty();
    if (before.isPresent() && !isKnown) { // Its maker has got its key.
      throw new IllegalStateException("somebody else has just made the webhook " + name);
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
   * Runs a change, unless another change of the target is running. Of the changes that begin
   * together, the store takes the turn of one, and the others are refused without a trace. A turn
   * is over after some time, so each change also stores a mark with an id of its own, and removes
   * only that mark: of two changes that follow a turn that is over, at least one finds the mark of
   * the other, and is refused. A change also removes what processes left that ended in the middle.
   */
  private <T> CompletionStage<T> alone(String name, Supplier<CompletionStage<T>> change) {
    String own = name + "/" + UUID.randomUUID();
    Set<String> ended = new HashSet<>(Set.of(own));
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletionStage<?> unused =
        records
            .mark(name, LONGEST)
            .whenComplete(
                (isMine, failure) -> {
                  if (failure != null || isMine) { // A failed request may have made it.
                    ended.add(name);
                  }
                })
            .thenCompose(done -> requireAlone(name, ended))
            .thenCompose(done -> records.mark(own, LONGEST))
            .thenCompose(done -> requireAlone(name, ended))
            .thenCompose(done -> change.get())
            .whenComplete(
                (changed, failure) ->
                    records
                        .removeMarks(ended)
                        .whenComplete((done, notDone) -> end(result, changed, failure)));
    return result;
  }

  /**
   * Fails if there is a mark of another change of the target.
   *
   * @param ended the marks that this change removes: its own, to which those are added whose time
   *     is over
   */
  private CompletionStage<?> requireAlone(String name, Set<String> ended) {
    return records
        .marks()
        .thenAccept(
            marks -> {
              Instant now = context.clock().instant();
              marks.forEach(
                  (mark, end) -> {
                    if (!end.isAfter(now)) {
                      ended.add(mark);
                    }
                  });
              for (String mark : marks.keySet()) {
                boolean isOfTarget = mark.equals(name) || mark.startsWith(name + "/");
                if (isOfTarget && !ended.contains(mark)) {
                  throw new IllegalStateException(
                      "somebody else changes the webhook " + name + " now; send the change again");
                }
              }
            });
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
}
