package io.punctual.internal.partition;

import java.util.ArrayList;
import java.util.Collection;
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

  /** Submits changes of these ids: now, or after the earlier turns of the ids. */
  public void follow(Collection<String> ids, Runnable submission) {
    if (last.isEmpty() || ids.stream().noneMatch(last::containsKey)) {
      submission.run();
      return;
    }
    take(
        ids,
        () -> {
          submission.run();
          return CompletableFuture.completedStage(null);
        });
  }

  /**
   * Begins a change of these ids after the earlier turns of the ids. Later changes of the ids wait
   * until its stage completes.
   */
  public void take(Collection<String> ids, Supplier<? extends CompletionStage<?>> change) {
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
              .handle((nothing, failure) -> change.get())
              .thenCompose(stage -> stage.handle((result, failure) -> result));
      ids.forEach(id -> last.put(id, turn));
    }
    CompletableFuture<?> unused =
        turn.whenComplete((nothing, failure) -> ids.forEach(id -> last.remove(id, turn)));
    begin.complete(null);
  }
}
