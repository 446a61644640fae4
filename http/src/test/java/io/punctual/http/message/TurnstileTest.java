package io.punctual.http.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class TurnstileTest {
  private final Turnstile turnstile = new Turnstile(2);

  @Test
  void aFewWorkAtATime_theOthersInTheirOrder() {
    List<CompletableFuture<String>> begun = new ArrayList<>();
    List<CompletionStage<String>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(
          turnstile.pass(
              () -> {
                begun.add(new CompletableFuture<>());
                return begun.get(begun.size() - 1);
              }));
    }
    assertThat(begun).hasSize(2);
    begun.get(1).complete("second");
    assertThat(all.get(1).toCompletableFuture()).isCompletedWithValue("second");
    assertThat(begun).hasSize(3);
    begun.get(0).completeExceptionally(new IllegalStateException("failed"));
    assertThat(all.get(0).toCompletableFuture()).isCompletedExceptionally();
    begun.forEach(each -> each.complete("end"));
    assertThat(begun).hasSize(4);
  }

  @Test
  void anError_givesItsTurnBack() {
    List<CompletionStage<String>> failed = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      failed.add(
          turnstile.pass(
              () -> {
                throw new LinkageError("page");
              }));
    }
    assertThat(failed).allMatch(each -> each.toCompletableFuture().isCompletedExceptionally());
    assertThat(turnstile.pass(() -> CompletableFuture.completedFuture("page")))
        .isCompletedWithValue("page");
  }

  @Test
  void manyThatEndAtOnce_doNotNest() {
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletionStage<String> second = turnstile.pass(() -> first);
    CompletionStage<String> third = turnstile.pass(() -> first);
    List<CompletionStage<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      int number = i;
      all.add(
          turnstile.pass(
              () -> {
                if (number % 2 == 0) {
                  throw new IllegalStateException("failed");
                }
                return CompletableFuture.completedFuture(number);
              }));
    }
    first.complete("go");
    assertThat(all).allMatch(each -> each.toCompletableFuture().isDone());
    assertThat(second.toCompletableFuture()).isDone();
    assertThat(third.toCompletableFuture()).isDone();
  }
}
