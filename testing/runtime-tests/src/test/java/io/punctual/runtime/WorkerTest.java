package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Failure;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests workers with a manual clock, with handlers that run on the thread of the test. */
class WorkerTest {
  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);
  private static final WorkerOptions INLINE = inline().build();

  private final ManualWorld world = new ManualWorld();
  private final List<String> handled = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private void handle(Delivery<String> delivery) {
    handled.add(delivery.payload());
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  @Test
  void work_messageDueInHalfAnHour_handedOverThenAndNotBefore() {
    world.queue.work(INLINE, this::handle);
    world.queue.schedule("close", HALF_AN_HOUR);
    world.advance(HALF_AN_HOUR.minusMillis(1));
    assertThat(handled).isEmpty();
    world.advance(Duration.ofMillis(1));
    assertThat(handled).containsExactly("close");
    assertThat(world.queue.counts().pending()).isZero();
  }

  @Test
  void work_scheduledBeforeTheWorkerStarts_handedOver() {
    world.queue.schedule("a", Duration.ZERO);
    world.queue.work(INLINE, this::handle);
    assertThat(handled).containsExactly("a");
  }

  @Test
  void work_manyDueAtDifferentTimes_handedOverInOrderOfDueTime() {
    world.queue.work(INLINE, this::handle);
    for (int i = 0; i < 500; i++) {
      world.queue.schedule(Message.of("m" + i).dueIn(Duration.ofMillis(1 + (i * 37L) % 500)));
    }
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).hasSize(500).doesNotHaveDuplicates();
    assertThat(world.events(Event.MessageHandedOver.class))
        .allSatisfy(event -> assertThat(event.lateness()).isZero());
  }

  @Test
  void work_rescheduledEarlier_handedOverAtTheNewTime() {
    world.queue.work(INLINE, this::handle);
    world.queue.schedule(Message.of("a").id("a").dueIn(HALF_AN_HOUR));
    world.queue.reschedule("a", io.punctual.Due.after(Duration.ofSeconds(1)));
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).containsExactly("a");
  }

  @Test
  void work_wallClockStepsAheadAnHour_handedOverByTheSafetyCheck() {
    world.queue.work(INLINE, this::handle);
    world.queue.schedule("a", HALF_AN_HOUR);
    world.clock.step(Duration.ofHours(1));
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).containsExactly("a");
  }

  @Test
  void work_handlerThrows_retriedByThePolicyWithItsFailures() {
    List<List<Failure>> failures = new ArrayList<>();
    world.queue.work(
        inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(10))).build(),
        delivery -> {
          failures.add(delivery.failures());
          if (delivery.attempt() < 3) {
            throw new IllegalStateException("attempt " + delivery.attempt());
          }
          handle(delivery);
        });
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofMillis(9_999));
    assertThat(failures).hasSize(1);
    world.advance(Duration.ofMillis(1));
    assertThat(failures).hasSize(2);
    world.advance(Duration.ofSeconds(10));
    assertThat(handled).containsExactly("a");
    assertThat(failures.get(2))
        .extracting(Failure::attempt, Failure::error)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(1, "java.lang.IllegalStateException: attempt 1"),
            org.assertj.core.groups.Tuple.tuple(2, "java.lang.IllegalStateException: attempt 2"));
  }

  @Test
  void work_attemptsExhausted_buriedWithTheReasonAndTheLastFiveFailures() {
    world.queue.work(
        inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(7)).build(),
        delivery -> {
          throw new IllegalStateException("no " + delivery.attempt());
        });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(10));
    StoredMessage<String> dead = find("a");
    assertThat(dead.state()).isEqualTo(State.DEAD);
    assertThat(dead.reason()).hasValue("java.lang.IllegalStateException: no 7");
    assertThat(dead.failures()).extracting(Failure::attempt).containsExactly(3, 4, 5, 6, 7);
    assertThat(world.queue.deadLetters().redrive("a"))
        .isEqualTo(io.punctual.deadletter.DeadLetterOutcome.DONE);
  }

  @Test
  void work_policyForAnException_decides() {
    RetryPolicy policy =
        RetryPolicy.DEFAULT.forFailure(IllegalArgumentException.class, RetryPolicy.never());
    world.queue.work(
        inline().retryPolicy(policy).build(),
        delivery -> {
          throw new IllegalArgumentException("bad");
        });
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void work_leasesThatKeepExpiring_buriedBeforeAHandlerSeesThem() {
    world.queue.schedule(Message.of("a").id("a"));
    for (int i = 0; i < 3; i++) {
      assertThat(world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(1))))
          .hasSize(1);
      world.advance(Duration.ofSeconds(1));
    }
    world.queue.work(
        inline().retryPolicy(RetryPolicy.DEFAULT.maxAttempts(3)).build(), this::handle);
    assertThat(handled).isEmpty();
    assertThat(find("a").reason())
        .hasValue("attempt 4, limit 3: 3 leases ran out without a settlement");
  }

  @Test
  void work_notAfterIsOver_buriedAsExpired() {
    world.queue.schedule(Message.of("a").id("a").notAfter(world.clock.instant().plusSeconds(1)));
    world.advance(Duration.ofMillis(1001));
    world.queue.work(INLINE, this::handle);
    assertThat(handled).isEmpty();
    assertThat(find("a").deadReason()).hasValue(DeadReason.EXPIRED);
  }

  @Test
  void work_payloadThatTheCodecRefuses_buriedAndTheOthersGoOn() {
    TimedQueue<byte[]> raw = world.punctual.queue("orders", Codec.bytes());
    raw.schedule(Message.of(new byte[] {(byte) 0xff}).id("bad"));
    world.queue.schedule("good", Duration.ZERO);
    world.queue.work(inline().retryPolicy(RetryPolicy.never()).build(), this::handle);
    assertThat(handled).containsExactly("good");
    assertThat(find("bad").deadReason()).hasValue(DeadReason.UNDECODABLE);
    assertThat(find("bad").payloadBytes()).containsExactly(0xff);
  }

  @Test
  void work_settledByHand_theWorkerLeavesItAlone() {
    world.queue.work(
        INLINE,
        delivery -> {
          assertThat(delivery.retry(Duration.ofHours(1))).isEqualTo(io.punctual.SettleOutcome.DONE);
          throw new IllegalStateException("after the settlement");
        });
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(find("a").state()).isEqualTo(State.SCHEDULED);
    assertThat(find("a").failures())
        .extracting(Failure::error)
        .containsExactly("retried by the consumer");
  }

  @Test
  void work_cancelledWhileItRuns_discardedInsteadOfRetried() {
    world.queue.work(
        INLINE,
        delivery -> {
          assertThat(world.queue.cancel("a")).isEqualTo(io.punctual.CancelOutcome.RUNNING);
          throw new IllegalStateException("fails");
        });
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void work_replacedWhileItRuns_theOldLeaseIsLostAndTheNewMessageComes() {
    List<Boolean> lost = new ArrayList<>();
    world.queue.work(
        INLINE,
        delivery -> {
          handle(delivery);
          if (delivery.payload().equals("old")) {
            world.queue.schedule(Message.of("new").id("a"), IfPresent.REPLACE);
            delivery.extend(Duration.ofSeconds(30));
            lost.add(delivery.isLost());
          }
        });
    world.queue.schedule(Message.of("old").id("a"));
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).containsExactly("old", "new");
    assertThat(lost).containsExactly(true);
    assertThat(world.events(Event.LeaseLost.class)).isNotEmpty();
  }

  @Test
  void workBatch_partialFailure_onlyTheFailedComeBack() {
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      world.queue.schedule(Message.of("m" + i).id("m" + i));
    }
    world.queue.workBatches(
        inline().batchSize(4).concurrency(1).build(),
        deliveries -> {
          sizes.add(deliveries.size());
          for (Delivery<String> delivery : deliveries) {
            if (delivery.id().equals("m3")) {
              delivery.bury("unwanted");
            } else if (delivery.id().equals("m5") || delivery.id().equals("m6")) {
              delivery.ack();
            }
          }
          if (deliveries.stream().anyMatch(d -> d.id().equals("m5") && d.attempt() == 1)) {
            throw new IllegalStateException("half of it");
          }
        });
    assertThat(sizes).containsExactly(4, 4, 2);
    assertThat(find("m3").state()).isEqualTo(State.DEAD);
    assertThat(world.queue.find("m5")).isEmpty();
    assertThat(find("m4").failures().get(0).error()).contains("half of it");
    assertThat(find("m7").attempts()).isEqualTo(1);
    world.advance(Duration.ofMinutes(1));
    assertThat(world.queue.counts().pending()).isZero();
  }

  @Test
  void pause_dueMessages_waitForResume() {
    world.queue.work(INLINE, this::handle);
    world.queue.pause();
    world.queue.schedule("a", Duration.ofSeconds(1));
    world.advance(Duration.ofSeconds(10));
    assertThat(handled).isEmpty();
    world.queue.resume();
    world.advance(Duration.ZERO);
    assertThat(handled).containsExactly("a");
  }

  @Test
  void work_severalPartitions_servesThemAll() {
    try (ManualWorld partitions = new ManualWorld(8)) {
      List<String> seen = new ArrayList<>();
      partitions.queue.work(inline().concurrency(4).build(), d -> seen.add(d.payload()));
      for (int i = 0; i < 200; i++) {
        partitions.queue.schedule(Message.of("m" + i).id("m" + i).dueIn(Duration.ofMillis(i)));
      }
      partitions.advance(Duration.ofSeconds(1));
      assertThat(seen).hasSize(200).doesNotHaveDuplicates();
    }
  }

  @Test
  void work_retryPolicyThatThrows_comesBackLater() {
    world.queue.work(
        inline()
            .retryPolicy(
                RetryPolicy.DEFAULT.forFailure(
                    failure -> {
                      throw new IllegalStateException("policy");
                    },
                    RetryPolicy.never()))
            .build(),
        delivery -> {
          handle(delivery);
          throw new IllegalStateException("handler");
        });
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofMinutes(1));
    assertThat(handled).hasSize(2);
  }

  @Test
  void work_executorThatRefuses_holdsOnASecondAndTriesAgain() {
    List<Runnable> accepted = new ArrayList<>();
    int[] refusals = {0};
    world.queue.work(
        WorkerOptions.builder()
            .executor(
                task -> {
                  if (world.clock.nanoTime() == 0) {
                    refusals[0]++;
                    throw new java.util.concurrent.RejectedExecutionException("full");
                  }
                  accepted.add(task);
                })
            .build(),
        this::handle);
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(refusals[0]).isEqualTo(1);
    assertThat(find("a").state()).isEqualTo(State.READY);
    world.advance(Duration.ofSeconds(1));
    accepted.forEach(Runnable::run);
    assertThat(handled).containsExactly("a");
  }

  @Test
  void prefetch_outOfRange_isRefused() {
    WorkerOptions.Builder options = WorkerOptions.builder();
    assertThatThrownBy(() -> options.prefetch(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prefetch must be between 0 and 10000, but was -1");
    assertThatThrownBy(() -> options.prefetch(10_001)).isInstanceOf(IllegalArgumentException.class);
    assertThat(options.prefetch(10_000).build().toBuilder().build().prefetch()).isEqualTo(10_000);
  }
}
