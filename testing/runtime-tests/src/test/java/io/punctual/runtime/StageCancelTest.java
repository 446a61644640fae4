package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The cancel of a stage at its time-out runs the user's code, so the timer must not run it. */
class StageCancelTest {
  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void executorIsFull_dependentsOfTheStageRunOnNoThreadOfTheTimer() throws Exception {
    AtomicInteger tasks = new AtomicInteger();
    CompletableFuture<Void> stage = new CompletableFuture<>();
    CompletableFuture<Thread> cancelledOn = new CompletableFuture<>();
    var unused =
        stage.whenComplete((none, failure) -> cancelledOn.complete(Thread.currentThread()));
    WorkerOptions options =
        WorkerOptions.builder()
            .handlerTimeout(Duration.ofSeconds(5))
            .executor(
                task -> {
                  if (tasks.getAndIncrement() > 0) {
                    throw new RejectedExecutionException("full");
                  }
                  task.run();
                })
            .build();
    world.queue.workStages(options, delivery -> stage);
    world.queue.schedule("x", Duration.ZERO);
    world.advance(Duration.ofSeconds(5));
    assertThat(cancelledOn.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    assertThat(stage).isCancelled();
  }
}
