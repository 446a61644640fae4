package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Message;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests handlers that outlive their time-out, their lease or their worker. */
class HandlerTimeoutTest {
  private final ManualWorld world = new ManualWorld();
  private final CompletableFuture<Void> stage = new CompletableFuture<>();

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void work_handlerIgnoresItsTimeOut_leaseEndsAndAnotherWorkerReceivesTheMessage() {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    WorkerOptions.Builder options =
        WorkerOptions.builder()
            .concurrency(1)
            .lease(Duration.ofSeconds(30))
            .handlerTimeout(Duration.ofMinutes(1));
    world.queue.work(
        options.build(),
        delivery -> {
          attempts.add(delivery.attempt());
          started.countDown();
          awaitUninterruptibly(end);
        });
    world.queue.schedule(Message.of("a").id("a"));
    await().until(() -> started.getCount() == 0);
    world.queue.work(inline().build(), delivery -> attempts.add(delivery.attempt()));
    for (int i = 0; i < 24; i++) {
      world.advance(Duration.ofSeconds(5));
    }
    assertThat(attempts).containsExactly(1);
    for (int i = 0; i < 8; i++) {
      world.advance(Duration.ofSeconds(5));
    }
    assertThat(attempts).containsExactly(1, 2);
    assertThat(world.events(Event.LeaseLost.class)).hasSize(1);
    end.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean ended = false;
    while (!ended) {
      try {
        latch.await();
        ended = true;
      } catch (InterruptedException ignored) {
        // This handler ignores its interrupt.
      }
    }
  }

  @Test
  void workStages_timeOut_stageIsCancelled() {
    world.queue.workStages(
        inline().handlerTimeout(Duration.ofSeconds(5)).build(), delivery -> stage);
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofMillis(4_999));
    assertThat(stage).isNotDone();
    world.advance(Duration.ofMillis(1));
    assertThat(stage).isCancelled();
  }

  @Test
  void workStages_leaseLostAndInterruptWanted_stageIsCancelled() {
    world.queue.workStages(
        inline().lease(Duration.ofSeconds(3)).renew(false).interruptOnLeaseLost(true).build(),
        delivery -> delivery.attempt() == 1 ? stage : CompletableFuture.completedFuture(null));
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(3));
    assertThat(stage).isCancelled();
  }

  @Test
  void workStages_graceIsOver_stageIsCancelled() {
    Worker worker = world.queue.workStages(inline().build(), delivery -> stage);
    world.queue.schedule(Message.of("a").id("a"));
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(() -> worker.close(Duration.ofSeconds(1)));
    await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(1));
              return closed.isDone();
            });
    assertThat(stage).isCancelled();
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
  }

  @Test
  void workBatch_interruptForALostLeaseIsSwallowed_noMessageOfTheBatchIsLost() {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    world.queue.schedule(Message.of("a").id("a"));
    world.queue.schedule(Message.of("b").id("b"));
    Worker worker =
        world.queue.workBatches(
            WorkerOptions.builder()
                .batchSize(2)
                .lease(Duration.ofSeconds(3))
                .renew(false)
                .interruptOnLeaseLost(true)
                .build(),
            deliveries -> {
              if (deliveries.size() == 2) {
                deliveries.get(1).extend(Duration.ofHours(1));
                started.countDown();
                try {
                  new CountDownLatch(1).await();
                } catch (InterruptedException swallowed) {
                  returned.countDown();
                }
              }
            });
    await().until(() -> started.getCount() == 0);
    world.advance(Duration.ofSeconds(3));
    await().until(() -> world.events(Event.MessageReleased.class).size() == 1);
    assertThat(world.events(Event.MessageReleased.class))
        .extracting(Event.MessageReleased::id)
        .containsExactly("b");
    worker.close();
  }
}
