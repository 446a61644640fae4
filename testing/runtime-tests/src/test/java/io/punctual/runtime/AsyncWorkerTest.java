package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.StoredMessage;
import io.punctual.Worker;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests handlers that return a stage: leases, time-outs and permits while the stage is open. */
class AsyncWorkerTest {
  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private StoredMessage<String> find() {
    return world.queue.find("a").orElseThrow();
  }

  @Test
  void workStages_longHandling_leaseRenewedUntilItEnds() {
    List<String> handled = new ArrayList<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    world.queue.workStages(
        inline().lease(Duration.ofSeconds(30)).build(),
        delivery -> {
          handled.add(delivery.payload());
          return done;
        });
    world.queue.schedule(Message.of("a").id("a"));
    for (int i = 0; i < 60; i++) {
      world.advance(Duration.ofSeconds(5));
      assertThat(world.queue.claim(1, Duration.ZERO)).isEmpty();
    }
    done.complete(null);
    assertThat(handled).containsExactly("a");
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void workStages_notRenewed_lostAtItsDeadlineAndDeliveredAgain() {
    List<Delivery<String>> deliveries = new ArrayList<>();
    world.queue.workStages(
        inline().lease(Duration.ofSeconds(3)).renew(false).build(),
        delivery -> {
          deliveries.add(delivery);
          return delivery.attempt() == 1
              ? new CompletableFuture<>()
              : CompletableFuture.completedFuture(null);
        });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofMillis(2_999));
    assertThat(deliveries.get(0).isLost()).isFalse();
    world.advance(Duration.ofMillis(1));
    assertThat(deliveries.get(0).isLost()).isTrue();
    world.advance(Duration.ofSeconds(1));
    assertThat(deliveries).hasSize(2);
    assertThat(deliveries.get(1).fencingToken()).isGreaterThan(deliveries.get(0).fencingToken());
  }

  @Test
  void workStages_handlerTimeOut_countsAsAFailureAndFreesThePermit() {
    List<Integer> attempts = new ArrayList<>();
    world.queue.workStages(
        inline()
            .concurrency(1)
            .handlerTimeout(Duration.ofSeconds(5))
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)))
            .build(),
        delivery -> {
          attempts.add(delivery.attempt());
          return new CompletableFuture<>();
        });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(6));
    assertThat(attempts).containsExactly(1, 2);
    assertThat(find().failures().get(0).error()).contains("HandlerTimeoutException");
  }

  @Test
  void workStages_moreDueThanPermits_neverMoreAtOnce() {
    List<CompletableFuture<Void>> open = new ArrayList<>();
    Worker worker =
        world.queue.workStages(
            inline().concurrency(3).build(),
            delivery -> {
              CompletableFuture<Void> end = new CompletableFuture<>();
              open.add(end);
              return end;
            });
    for (int i = 0; i < 10; i++) {
      world.queue.schedule("m" + i, Duration.ZERO);
    }
    assertThat(worker.running()).isEqualTo(3);
    assertThat(world.queue.counts().leased()).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      open.get(i).complete(null);
    }
    assertThat(open).hasSize(10);
    assertThat(world.queue.counts().pending()).isZero();
  }

  @Test
  void workStages_handlerMakesItsLeaseShorter_stillRenewed() {
    world.queue.workStages(
        inline().build(),
        delivery -> {
          delivery.extend(Duration.ofSeconds(2));
          return new CompletableFuture<>();
        });
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofMinutes(2));
    assertThat(world.events(Event.LeaseLost.class)).isEmpty();
    assertThat(world.events(Event.MessageHandedOver.class)).hasSize(1);
  }

  @Test
  void workStages_closedWhileItsStageIsOpen_givenBackAfterTheGrace() {
    Worker worker = world.queue.workStages(inline().build(), delivery -> new CompletableFuture<>());
    world.queue.schedule(Message.of("a").id("a"));
    CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> worker.close());
    await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(5));
              return closed.isDone();
            });
    assertThat(find().attempts()).isZero();
  }
}
