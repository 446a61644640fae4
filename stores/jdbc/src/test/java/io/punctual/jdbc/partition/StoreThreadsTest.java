package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.Partition;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StoreThreadsTest {
  private static final long HOUR_MILLIS = 3_600_000;

  /** For example a pause of a queue, which tries again later if the queue is locked. */
  @Test
  void close_requestPausesBetweenTwoSteps_fails() throws Exception {
    StoreThreads threads = new StoreThreads(1);
    CountDownLatch steps = new CountDownLatch(1);
    CompletionStage<String> request =
        threads.controlInSteps(
            () -> {
              steps.countDown();
              return null;
            },
            HOUR_MILLIS);
    steps.await();
    threads.close();
    assertThatThrownBy(() -> request.toCompletableFuture().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(Partition.NotSentException.class);
  }

  /** The client sends such a call again. */
  @Test
  void stage_noThread_failsWithoutEffect() {
    StoreThreads threads = new StoreThreads(1);
    CompletionStage<String> request =
        threads.stage(
            task -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            () -> "done");
    assertThatThrownBy(() -> request.toCompletableFuture().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(Partition.NotSentException.class);
    threads.close();
  }
}
