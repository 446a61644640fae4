package io.punctual.internal.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a manual claim that wait for the caller's executor. An executor may drop its
 * tasks, for example when it is shut down, so the end of the claim returns these messages to the
 * queue. Thread-safe.
 */
final class Undelivered {
  private final AtomicReference<@Nullable Runnable> waiting = new AtomicReference<>();

  boolean isEmpty() {
    return waiting.get() == null;
  }

  /**
   * Lets messages wait for the executor; no messages may be waiting yet. Either {@code deliver}
   * runs on the executor, or {@code giveBack} runs.
   *
   * @param isOver whether the claim has ended, so that the executor is not needed
   */
  void add(Executor executor, Runnable deliver, Runnable giveBack, BooleanSupplier isOver) {
    waiting.set(giveBack);
    if (isOver.getAsBoolean()) {
      giveBack();
    } else {
      executor.execute(
          () -> {
            if (waiting.compareAndSet(giveBack, null)) {
              deliver.run();
            }
          });
    }
  }

  /** Returns the waiting messages to the queue, if there are any. */
  void giveBack() {
    Runnable giveBack = waiting.getAndSet(null);
    if (giveBack != null) {
      giveBack.run();
    }
  }
}
