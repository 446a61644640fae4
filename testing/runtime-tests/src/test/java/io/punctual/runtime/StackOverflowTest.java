package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs that use up the stack of a thread in calls and callbacks of a queue. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StackOverflowTest {
  private static final int CHAIN = 50_000;

  private final Set<String> handled = ConcurrentHashMap.newKeySet();
  private final Queue<CompletionStage<Scheduled>> stages = new ConcurrentLinkedQueue<>();
  private int number;

  @Test
  @Tag("extended")
  void callerRecursesWithoutEnd_queueAndTimerGoOn() throws Exception {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.work(delivery -> handled.add(delivery.id()));
      for (int round = 0; round < 3; round++) {
        Thread thread = new Thread(null, () -> overflow(queue), "deep", 300_000 + 30_000L * round);
        thread.start();
        thread.join();
      }
      queue.schedule(Message.of("x").id("last"));
      await().until(() -> handled.contains("last"));
      await().until(() -> stages.stream().allMatch(each -> each.toCompletableFuture().isDone()));
      await()
          .untilAsserted(
              () ->
                  assertThat(stages)
                      .filteredOn(each -> !each.toCompletableFuture().isCompletedExceptionally())
                      .extracting(each -> each.toCompletableFuture().join().id())
                      .isSubsetOf(handled));
      assertThat(queue.counts().pending()).isZero();
    }
  }

  private void overflow(TimedQueue<String> queue) {
    try {
      recurse(queue);
    } catch (StackOverflowError expected) {
      number++;
    }
  }

  @SuppressWarnings("InfiniteRecursion") // That is the test.
  private void recurse(TimedQueue<String> queue) {
    CompletionStage<Scheduled> stage =
        queue.async().schedule(Message.of("x").id("m" + number++).dueIn(Duration.ofMillis(1)));
    stages.add(stage);
    recurse(queue);
  }

  @Test
  void chainOfManyCalls_completes() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      CompletionStage<?> chain = CompletableFuture.completedStage(null);
      for (int i = 0; i < CHAIN; i++) {
        chain = chain.thenCompose(before -> queue.async().schedule("x", Duration.ofDays(1)));
      }
      assertThat(chain.toCompletableFuture()).succeedsWithin(Duration.ofSeconds(60));
      assertThat(queue.counts().scheduled()).isEqualTo(CHAIN);
    }
  }

  @Test
  void callThatCallsAgainInItsCallback_completes() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      assertThat(again(queue, CHAIN).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(60));
      assertThat(queue.counts().scheduled()).isEqualTo(CHAIN);
    }
  }

  @Test
  void claimThatClaimsAgainInItsCallback_completes() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      assertThat(claimAgain(queue, CHAIN).toCompletableFuture())
          .succeedsWithin(Duration.ofSeconds(60));
    }
  }

  @Test
  void chainWhoseAnswersComeBeforeItsCallbacks_completes() {
    ExecutorService answers = Executors.newSingleThreadExecutor();
    try (Punctual punctual = Punctual.builder().url("memory:").callbackExecutor(answers).build()) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      assertThat(late(CHAIN / 5, () -> queue.async().schedule("x", Duration.ofDays(1))))
          .succeedsWithin(Duration.ofSeconds(60));
      assertThat(
              late(
                  CHAIN / 5,
                  () -> queue.async().claim(1, ClaimOptions.DEFAULT.maxWait(Duration.ZERO))))
          .succeedsWithin(Duration.ofSeconds(60));
    } finally {
      answers.shutdown();
    }
  }

  /** Adds each callback a little late, so that the answer is there unless it takes a detour. */
  private static CompletableFuture<?> late(int left, Supplier<CompletionStage<?>> call) {
    if (left == 0) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<?> answer = call.get().toCompletableFuture();
    long end = System.nanoTime() + 200_000;
    while (!answer.isDone() && System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
    return answer.thenCompose(done -> late(left - 1, call));
  }

  private static CompletionStage<?> claimAgain(TimedQueue<String> queue, int left) {
    return left == 0
        ? CompletableFuture.completedStage(null)
        : queue
            .async()
            .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(10)))
            .thenCompose(none -> claimAgain(queue, left - 1));
  }

  private static CompletionStage<?> again(TimedQueue<String> queue, int left) {
    return left == 0
        ? CompletableFuture.completedStage(null)
        : queue
            .async()
            .schedule("x", Duration.ofDays(1))
            .thenCompose(done -> again(queue, left - 1));
  }
}
