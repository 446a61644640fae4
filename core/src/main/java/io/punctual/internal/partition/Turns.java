package io.punctual.internal.partition;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
    CompletableFuture<?> begin = new CompletableFuture<>();
    CompletableFuture<?> turn;
    synchronized (this) {
      Stream<CompletableFuture<?>> earlier =
          ids.stream().<CompletableFuture<?>>map(last::get).filter(Objects::nonNull).distinct();
      CompletableFuture<?> free =
          CompletableFuture.allOf(
              Stream.concat(earlier, Stream.of(begin)).toArray(CompletableFuture<?>[]::new));
      turn =
          free.handle((nothing, failure) -> change.get())
              .thenCompose(stage -> stage.handle((result, failure) -> result));
      ids.forEach(id -> last.put(id, turn));
    }
    CompletableFuture<?> unused =
        turn.whenComplete((nothing, failure) -> ids.forEach(id -> last.remove(id, turn)));
    begin.complete(null);
  }
}
