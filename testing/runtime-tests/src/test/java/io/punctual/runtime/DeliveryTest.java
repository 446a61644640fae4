package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Failure;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a delivery: the state that it shows, its settlements, and the callback of a lost lease. */
class DeliveryTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualWorld world = new ManualWorld();
  private final List<String> seen = new ArrayList<>();

  @BeforeEach
  void schedule() {
    world.queue.schedule(Message.of("x").id("a").notAfter(world.clock.instant().plusSeconds(60)));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private Delivery<String> claim() {
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
  }

  private void workWithoutEnd() {
    world.queue.workStages(
        inline().lease(LEASE).build(),
        delivery -> {
          delivery.onLost(() -> seen.add("lost " + delivery.isLost()));
          return new CompletableFuture<>();
        });
  }

  @Test
  void isLastAttempt_isTrueAtTheLimitOfThePolicy() {
    RetryPolicy policy = RetryPolicy.fixed(SECOND).maxAttempts(3);
    world.queue.work(
        inline().retryPolicy(policy).build(),
        delivery -> {
          seen.add(delivery.attempt() + " " + delivery.isLastAttempt());
          throw new IllegalStateException("down");
        });
    world.advance(Duration.ofSeconds(5));
    assertThat(seen).containsExactly("1 false", "2 false", "3 true");
  }

  @Test
  void notAfter_isThatOfTheMessage() {
    Instant notAfter = world.clock.instant().plusSeconds(60);
    assertThat(claim().notAfter()).hasValue(notAfter);
    world.queue.schedule(Message.of("y").id("b"));
    assertThat(claim().notAfter()).isEmpty();
  }

  @Test
  void isCancelled_learntFromTheNextRenewalOfTheWorker() {
    List<Delivery<String>> deliveries = new ArrayList<>();
    world.queue.workStages(
        inline().lease(LEASE).build(),
        delivery -> {
          deliveries.add(delivery);
          return new CompletableFuture<>();
        });
    world.advance(LEASE);
    assertThat(deliveries.get(0).isCancelled()).isFalse();
    world.queue.cancel("a");
    world.advance(LEASE);
    assertThat(deliveries.get(0).isCancelled()).isTrue();
    assertThat(deliveries.get(0).isLost()).isFalse();
  }

  @Test
  void isCancelled_learntFromAnExtensionOfAManualClaim() {
    Delivery<String> delivery = claim();
    world.queue.cancel("a");
    assertThat(delivery.isCancelled()).isFalse();
    assertThat(delivery.extend(LEASE)).isEqualTo(SettleOutcome.CANCELLED);
    assertThat(delivery.isCancelled()).isTrue();
    assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  void retry_withAReason_recordsIt() {
    claim().retry(SECOND, "the printer is out of paper");
    assertThat(world.queue.find("a").orElseThrow().failures())
        .extracting(Failure::error)
        .containsExactly("the printer is out of paper");
  }

  @Test
  void retry_withoutItsReason_refusedAndNotSettled() {
    Delivery<String> delivery = claim();
    assertThatNullPointerException().isThrownBy(() -> delivery.retry(SECOND, null));
    assertThat(delivery.isSettled()).isFalse();
  }

  @Test
  void defer_dueAgainAfterTheDelay_attemptDoesNotCount() {
    for (int i = 0; i < 8; i++) {
      Delivery<String> delivery = claim();
      assertThat(delivery.attempt()).isOne();
      assertThat(delivery.defer(SECOND)).isEqualTo(SettleOutcome.DONE);
      assertThat(world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE))).isEmpty();
      world.advance(SECOND);
    }
    assertThat(claim().lateness()).isZero();
    assertThat(world.events(Event.MessageReleased.class))
        .extracting(Event.MessageReleased::delay)
        .hasSize(8)
        .containsOnly(SECOND);
  }

  @Test
  void release_dueAtItsOldTime() {
    claim().release();
    assertThat(claim().attempt()).isOne();
    assertThat(world.events(Event.MessageReleased.class).get(0).delay()).isNull();
  }

  @Test
  void defer_byTheHandlers_notAckedAfterwards() {
    world.queue.workStages(
        inline().build(),
        delivery -> {
          seen.add("async " + delivery.attempt());
          return delivery.async().defer(SECOND);
        });
    assertThat(seen).containsExactly("async 1");
    world.advance(SECOND);
    assertThat(seen).containsExactly("async 1", "async 1");
  }

  @Test
  void defer_byABatchHandler_onlyTheOthersAreAcked() {
    world.queue.schedule(Message.of("y").id("b"));
    world.queue.workBatches(inline().build(), deliveries -> deliveries.get(0).defer(LEASE));
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
    assertThat(world.queue.find("b")).isEmpty();
  }

  @Test
  void defer_delayOutOfRange_refusedAndNotSettled() {
    Delivery<String> delivery = claim();
    assertThatIllegalArgumentException().isThrownBy(() -> delivery.defer(Duration.ofDays(400_000)));
    assertThat(delivery.isSettled()).isFalse();
  }

  @Test
  void repeat_scheduledOnceMoreWithoutAttemptsAndFailures() {
    claim().retry(Duration.ZERO);
    assertThat(claim().repeat(Due.after(SECOND))).isEqualTo(SettleOutcome.DONE);
    assertThat(world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE))).isEmpty();
    world.advance(SECOND);
    Delivery<String> again = claim();
    assertThat(again.attempt()).isOne();
    assertThat(again.failures()).isEmpty();
    assertThat(again.payload()).isEqualTo("x");
    assertThat(world.events(Event.MessageRepeated.class)).hasSize(1);
  }

  @Test
  void repeat_withAPayload_headersStay() {
    world.queue.schedule(Message.of("1").id("b").headers(Map.of("tenant", "7")));
    Delivery<String> delivery = world.queue.claim(2, ClaimOptions.DEFAULT.lease(LEASE)).get(1);
    delivery.repeat(Due.now(), "2");
    Delivery<String> again = claim();
    assertThat(again.payload()).isEqualTo("2");
    assertThat(again.headers()).isEqualTo(Map.of("tenant", "7"));
  }

  @Test
  void repeat_cancelledMeanwhile_discarded() {
    Delivery<String> delivery = claim();
    world.queue.cancel("a");
    assertThat(delivery.repeat(Due.now())).isEqualTo(SettleOutcome.DISCARDED);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void repeat_payloadTooLarge_refusedAndNotSettled() {
    Delivery<String> delivery = claim();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> delivery.repeat(Due.now(), "x".repeat(2 << 20)))
        .withMessageContaining("payloadLimit");
    assertThat(delivery.isSettled()).isFalse();
  }

  @Test
  void repeat_byAHandlerAndItsDeadHandler_goesOnAfterFailures() {
    world
        .queue
        .withDeadHandler((delivery, reason, failure) -> delivery.repeat(Due.after(SECOND)))
        .workStages(
            inline().retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              seen.add("run");
              if (seen.size() == 2) {
                throw new IllegalStateException("down");
              }
              return delivery.async().repeat(Due.after(SECOND));
            });
    world.advance(SECOND.multipliedBy(3));
    assertThat(seen).containsExactly("run", "run", "run", "run");
    assertThat(world.queue.counts().dead()).isZero();
  }

  @Test
  void onLost_leaseOfAManualClaimRunsOut_runsOnce() {
    Delivery<String> delivery = claim();
    delivery.onLost(() -> seen.add("lost " + delivery.isLost()));
    world.advance(LEASE.minusMillis(1));
    assertThat(seen).isEmpty();
    world.advance(LEASE);
    assertThat(seen).containsExactly("lost true");
    assertThat(world.events(Event.LeaseLost.class)).hasSize(1);
  }

  @Test
  void onLost_leaseWasExtended_runsAtTheNewEnd() {
    Delivery<String> delivery = claim();
    delivery.onLost(() -> seen.add("lost"));
    delivery.extend(LEASE.multipliedBy(2));
    world.advance(LEASE.plus(SECOND));
    assertThat(seen).isEmpty();
    world.advance(LEASE);
    assertThat(seen).containsExactly("lost");
  }

  @Test
  void onLost_leaseWasShortened_runsAtTheNewEnd() {
    Delivery<String> delivery = claim();
    delivery.onLost(() -> seen.add("lost"));
    delivery.extend(SECOND);
    world.advance(SECOND.minusMillis(1));
    assertThat(seen).isEmpty();
    world.advance(Duration.ofMillis(2));
    assertThat(seen).containsExactly("lost");
    assertThat(world.events(Event.LeaseLost.class)).hasSize(1);
  }

  @Test
  void onLost_leaseIsKnownToBeLost_runsAtOnce() {
    Delivery<String> delivery = claim();
    world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
    delivery.extend(LEASE);
    delivery.onLost(() -> seen.add("lost"));
    assertThat(seen).containsExactly("lost");
  }

  @Test
  void onLost_lostAndSettled_doesNotRun() {
    Delivery<String> delivery = claim();
    world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
    assertThat(delivery.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
    delivery.onLost(() -> seen.add("lost after the settlement"));
    assertThat(seen).isEmpty();
  }

  @Test
  void onLost_settledInTime_doesNotRun() {
    Delivery<String> delivery = claim();
    delivery.onLost(() -> seen.add("lost"));
    delivery.ack();
    world.advance(LEASE.multipliedBy(2));
    assertThat(seen).isEmpty();
  }

  @Test
  void onLost_settledInTime_timerKeepsNothingOfTheDelivery() {
    Delivery<String> delivery = claim();
    int before = world.clock.pendingTasks();
    delivery.onLost(() -> seen.add("lost"));
    assertThat(world.clock.pendingTasks()).isEqualTo(before + 1);
    delivery.ack();
    assertThat(world.clock.pendingTasks()).isEqualTo(before);
    delivery.onLost(() -> seen.add("lost after the settlement"));
    assertThat(world.clock.pendingTasks()).isEqualTo(before);
  }

  @Test
  void onLost_leaseIsKnownToBeLost_timerKeepsNothingOfTheDelivery() {
    Delivery<String> delivery = claim();
    delivery.onLost(() -> seen.add("lost"));
    int before = world.clock.pendingTasks();
    world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
    delivery.extend(LEASE);
    assertThat(seen).containsExactly("lost");
    assertThat(world.clock.pendingTasks()).isEqualTo(before - 1);
  }

  @Test
  void onLost_theNextRenewalIsRefused_runsWhileTheHandlerRuns() {
    workWithoutEnd();
    world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
    assertThat(seen).isEmpty();
    world.advance(LEASE);
    assertThat(seen).containsExactly("lost true");
  }

  @Test
  void onLost_workerRenews_doesNotRun() {
    workWithoutEnd();
    world.advance(LEASE.multipliedBy(5));
    assertThat(seen).isEmpty();
  }

  @Test
  void onLost_callbackThrows_theNextCallbackRuns() {
    Delivery<String> delivery = claim();
    delivery.onLost(
        () -> {
          throw new IllegalStateException("a callback");
        });
    delivery.onLost(() -> seen.add("lost"));
    world.advance(LEASE);
    assertThat(seen).containsExactly("lost");
  }

  @Test
  void extend_refusedToTheHandler_stageIsCancelledAsAfterARefusedRenewal() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    List<Delivery<String>> deliveries = new ArrayList<>();
    world.queue.workStages(
        inline().lease(LEASE).interruptOnLeaseLost(true).build(),
        delivery -> {
          deliveries.add(delivery);
          return stage;
        });
    world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
    CompletionStage<?> unused = deliveries.get(0).async().extend(LEASE);
    assertThat(stage).isCancelled();
  }
}
