package io.punctual.http.message;

import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a few pages with contents be read and written as JSON at a time, because each takes much
 * memory; the others wait in their order. Thread-safe.
 */
public final class Turnstile {
  private final int most;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Runnable> waiting = new LinkedList<>();

  private int inside;
  private boolean admitting;

  /** Creates it for so many at a time. */
  public Turnstile(int most) {
    this.most = most;
  }

  /** Begins the work when its turn comes; the stage ends as the work does. */
  public <T> CompletionStage<T> pass(Supplier<CompletionStage<T>> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(() -> begin(work, result));
    }
    admit();
    return result;
  }

  private <T> void begin(Supplier<CompletionStage<T>> work, CompletableFuture<T> result) {
    CompletionStage<T> stage;
    try {
      stage = work.get();
    } catch (RuntimeException | Error e) {
      stage = CompletableFuture.failedStage(e);
    }
    CompletionStage<?> unused =
        stage.whenComplete(
            (value, failure) -> {
              synchronized (this) {
                inside--;
              }
              if (failure == null) {
                result.complete(value);
              } else {
                result.completeExceptionally(failure);
              }
              admit();
            });
  }

  /** Begins works in a loop, not from within each other, since a work can end at once. */
  private void admit() {
    synchronized (this) {
      if (admitting) {
        return;
      }
      admitting = true;
    }
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = inside < most ? waiting.poll() : null;
    if (next == null) {
      admitting = false;
    } else {
      inside++;
    }
    return next;
  }
}
