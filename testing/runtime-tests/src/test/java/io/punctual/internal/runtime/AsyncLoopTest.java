package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AsyncLoopTest {
  @Test
  void run_manyStepsAnsweredAtOnce_doesNotGrowTheStack() {
    AtomicInteger left = new AtomicInteger(100_000);
    assertThat(AsyncLoop.run(() -> CompletableFuture.completedStage(left.decrementAndGet() > 0)))
        .isCompleted();
    assertThat(left).hasValue(0);
  }

  @Test
  void run_stepAnsweredLater_waitsForIt() {
    CompletableFuture<Boolean> first = new CompletableFuture<>();
    AtomicInteger steps = new AtomicInteger();
    CompletableFuture<?> end =
        AsyncLoop.run(
            () -> steps.incrementAndGet() == 1 ? first : CompletableFuture.completedStage(false));
    assertThat(end).isNotDone();
    first.complete(true);
    assertThat(end).isCompleted();
    assertThat(steps).hasValue(2);
  }

  @Test
  void run_stepThrowsOrFails_endsWithTheFailure() {
    IllegalStateException failure = new IllegalStateException("expected");
    assertThat(
            AsyncLoop.run(
                () -> {
                  throw failure;
                }))
        .isCompletedExceptionally();
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    CompletableFuture<?> end = AsyncLoop.run(() -> later);
    later.completeExceptionally(failure);
    assertThat(StoreFailures.failure(end)).isSameAs(failure);
  }
}
