package io.punctual.internal.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps changes of an id in the order of their calls, while a change first asks the store about the
 * id. Thread-safe.
 */
public final class Turns {
  /** The last change of each id that has a turn; it ends when the next change may be submitted. */
  private final Map<String, CompletableFuture<?>> last = new ConcurrentHashMap<>();

  /** Submits changes: now, or after the earlier turns of their ids. */
  public void follow(List<? extends MessageChange<?>> changes, Runnable submission) {
    if (last.isEmpty() || ids(changes).stream().noneMatch(last::containsKey)) {
      submission.run();
      return;
    }
    take(
        changes,
        () -> {
          submission.run();
          return CompletableFuture.completedStage(null);
        });
  }

  private static List<String> ids(List<? extends MessageChange<?>> changes) {
    return changes.stream().map(change -> change.operation().id()).toList();
  }

  /**
   * Begins changes after the earlier turns of their ids. Later changes of the ids wait until the
   * stage of {@code submission} completes.
   */
  public void take(
      List<? extends MessageChange<?>> changes, Supplier<? extends CompletionStage<?>> submission) {
    List<String> ids = ids(changes);
    CompletableFuture<@Nullable Void> begin = new CompletableFuture<>();
    List<CompletableFuture<?>> earlier = new ArrayList<>(List.of(begin));
    CompletableFuture<?> turn;
    synchronized (this) {
      for (String id : ids) {
        CompletableFuture<?> before = last.get(id);
        if (before != null) {
          earlier.add(before);
        }
      }
      turn =
          CompletableFuture.allOf(earlier.toArray(CompletableFuture<?>[]::new))
              .handle((nothing, failure) -> begin(changes, submission))
              .thenCompose(stage -> stage.handle((result, failure) -> result));
      CompletableFuture<?> unused = turn.whenComplete((nothing, failure) -> end(ids, turn));
      try {
        ids.forEach(id -> last.put(id, turn));
      } catch (RuntimeException | Error e) {
        end(ids, turn); // it never begins, so no later change may wait for it
        throw e;
      }
    }
    begin.complete(null);
  }

  private void end(List<String> ids, CompletableFuture<?> turn) {
    ids.forEach(id -> last.remove(id, turn));
  }

  /** Begins changes in their turn. After an error, fails them, because nothing else ends them. */
  private static CompletionStage<?> begin(
      List<? extends MessageChange<?>> changes, Supplier<? extends CompletionStage<?>> submission) {
    try {
      return submission.get();
    } catch (RuntimeException | Error e) {
      for (MessageChange<?> change : changes) {
        change.callback().failed(change.unanswered("met an error", e));
      }
      throw e;
    }
  }
}
