package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests many threads that claim messages in a loop, while producers schedule messages, and a
 * blocking call in a callback.
 */
@Timeout(300)
final class PollingTest {
  private static final int POLLERS = 200;
  private static final int PRODUCERS = 16;
  private static final int EACH = 20;

  @TempDir Path folder;

  @Test
  void claims_withoutEndOnManyThreads_doNotStarveSchedules() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong polls = new AtomicLong();
    try (Punctual punctual = Punctual.open("journal:" + folder + "?fsync=os")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      for (int i = 0; i < POLLERS; i++) {
        threads.execute(
            () -> {
              while (!over.get()) {
                queue.claim(1, Duration.ZERO);
                polls.incrementAndGet();
              }
            });
      }
      List<Callable<Void>> producers = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        producers.add(
            () -> {
              for (int j = 0; j < EACH; j++) {
                queue.schedule(Message.of("later").dueIn(Duration.ofHours(1)));
              }
              return null;
            });
      }
      for (Future<Void> end : threads.invokeAll(producers)) {
        end.get();
      }
      over.set(true);
      threads.shutdown();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
      assertThat(queue.counts().scheduled()).isEqualTo((long) PRODUCERS * EACH);
      assertThat(polls).hasPositiveValue();
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
  }

  @Test
  void blockingCall_inACallbackOnTheJournalsThread_isRefused() throws Exception {
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      Thread caller = Thread.currentThread();
      for (boolean seen = false; !seen; ) {
        CompletionStage<Boolean> refused =
            queue
                .async()
                .schedule(Message.of("later").dueIn(Duration.ofHours(1)))
                .thenApply(s -> Thread.currentThread() != caller && refuses(queue, s.id()));
        seen = refused.toCompletableFuture().get();
      }
    }
  }

  private static boolean refuses(TimedQueue<String> queue, String id) {
    try {
      queue.cancel(id);
      throw new AssertionError("the call was not refused");
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
