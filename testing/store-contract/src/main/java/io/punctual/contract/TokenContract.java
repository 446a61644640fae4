package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Delivery;
import io.punctual.Failure;
import io.punctual.Message;
import io.punctual.Receipt;
import io.punctual.Recurrence;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.DeadReason;
import io.punctual.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A process that did not receive a delivery settles it by its receipt. */
interface TokenContract {
  Duration HOUR = Duration.ofHours(1);

  @Test
  default void settle_eachAction_hasTheEffectOfTheDelivery(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> acked = TwoProcesses.scheduled(partition, queue, "acked");
          Delivery<String> retried = TwoProcesses.scheduled(partition, queue, "retried");
          Delivery<String> deferred = TwoProcesses.scheduled(partition, queue, "deferred");
          Delivery<String> buried = TwoProcesses.scheduled(partition, queue, "buried");
          Delivery<String> extended = TwoProcesses.scheduled(partition, queue, "extended");
          Delivery<String> released = TwoProcesses.scheduled(partition, queue, "released");
          Delivery<String> failed = TwoProcesses.scheduled(partition, queue, "failed");
          Delivery<String> repeated = TwoProcesses.scheduled(partition, queue, "repeated");
          Delivery<String> ended = TwoProcesses.scheduled(partition, queue, "ended");
          Instant before =
              TwoProcesses.stored(queue, "extended").leasedUntil().orElse(Instant.EPOCH);
          assertThat(
                  settler.settle(
                      List.of(
                          new Settlement.Ack(acked.receipt()),
                          new Settlement.Retry(retried.receipt(), HOUR, "no answer"),
                          new Settlement.Defer(deferred.receipt(), HOUR),
                          new Settlement.Bury(buried.receipt(), "not wanted"),
                          new Settlement.Extend(extended.receipt(), HOUR),
                          new Settlement.Release(released.receipt()),
                          new Settlement.Fail(
                              failed.receipt(),
                              new IllegalStateException("broken"),
                              RetryPolicy.fixed(HOUR)),
                          new Settlement.Repeat(repeated.receipt(), HOUR),
                          new Settlement.EndRecurrence(ended.receipt()))))
              .containsOnly(SettleOutcome.DONE)
              .hasSize(9);
          assertThat(queue.find("acked")).isEmpty();
          assertThat(TwoProcesses.stored(queue, "retried").state()).isEqualTo(State.SCHEDULED);
          assertThat(TwoProcesses.stored(queue, "retried").attempts()).isEqualTo(1);
          assertThat(TwoProcesses.stored(queue, "retried").failures())
              .extracting(Failure::error)
              .containsExactly("no answer");
          assertThat(TwoProcesses.stored(queue, "deferred").state()).isEqualTo(State.SCHEDULED);
          assertThat(TwoProcesses.stored(queue, "deferred").attempts()).isZero();
          assertThat(TwoProcesses.stored(queue, "buried").deadReason())
              .hasValue(DeadReason.BY_CALLER);
          assertThat(TwoProcesses.stored(queue, "buried").reason()).hasValue("not wanted");
          assertThat(TwoProcesses.stored(queue, "extended").state()).isEqualTo(State.LEASED);
          assertThat(TwoProcesses.stored(queue, "extended").leasedUntil().orElse(Instant.MAX))
              .isAfter(before.plus(Duration.ofMinutes(30)));
          assertThat(TwoProcesses.stored(queue, "released").state()).isEqualTo(State.READY);
          assertThat(TwoProcesses.stored(queue, "failed").state()).isEqualTo(State.SCHEDULED);
          assertThat(TwoProcesses.stored(queue, "failed").attempts()).isEqualTo(1);
          assertThat(TwoProcesses.stored(queue, "failed").failures())
              .extracting(Failure::error)
              .containsExactly("java.lang.IllegalStateException: broken");
          assertThat(TwoProcesses.stored(queue, "repeated").state()).isEqualTo(State.SCHEDULED);
          assertThat(TwoProcesses.stored(queue, "repeated").attempts()).isZero();
          assertThat(queue.find("ended")).isEmpty();
          assertThat(extended.ack()).isEqualTo(SettleOutcome.DONE);
        });
  }

  @Test
  default void settle_afterTheDelivery_leaseLost(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          assertThat(delivery.release()).isEqualTo(SettleOutcome.DONE);
          assertThat(settler.settle(List.of(new Settlement.Ack(delivery.receipt()))))
              .containsExactly(SettleOutcome.LEASE_LOST);
          Delivery<String> second = TwoProcesses.claimed(partition, queue);
          assertThat(
                  settler.settle(
                      List.of(
                          new Settlement.Retry(delivery.receipt(), HOUR, "late"),
                          new Settlement.Bury(second.receipt(), "first"),
                          new Settlement.Ack(second.receipt()),
                          new Settlement.Ack(new Receipt("never", second.receipt().token())))))
              .containsExactly(
                  SettleOutcome.LEASE_LOST,
                  SettleOutcome.DONE,
                  SettleOutcome.LEASE_LOST,
                  SettleOutcome.LEASE_LOST);
          assertThat(second.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
          assertThat(TwoProcesses.stored(queue, "a").state()).isEqualTo(State.DEAD);
        });
  }

  @Test
  default void settle_atTheSameTimeAsTheDelivery_exactlyOneWins(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          for (int i = 0; i < 50; i++) {
            Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "race" + i);
            Settlement settlement = new Settlement.Bury(delivery.receipt(), "by the token");
            boolean isFirst = i % 2 == 0;
            CompletionStage<SettleOutcome> before = isFirst ? null : delivery.async().ack();
            CompletionStage<SettleOutcome> byToken =
                settler.async().settle(List.of(settlement)).thenApply(all -> all.get(0));
            CompletionStage<SettleOutcome> byDelivery =
                before == null ? delivery.async().ack() : before;
            assertThat(List.of(byToken, byDelivery))
                .extracting(outcome -> outcome.toCompletableFuture().join())
                .containsExactlyInAnyOrder(SettleOutcome.DONE, SettleOutcome.LEASE_LOST);
            boolean wins = byToken.toCompletableFuture().join() == SettleOutcome.DONE;
            assertThat(queue.find("race" + i).map(StoredMessage::state))
                .isEqualTo(wins ? Optional.of(State.DEAD) : Optional.empty());
          }
        });
  }

  @Test
  default void settle_cancelledMessage_isDiscardedAndReported(TestPartition partition) {
    partition.needs(Capability.CANCEL);
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          queue.cancel("a");
          assertThat(
                  settler.settle(
                      List.of(
                          new Settlement.Extend(delivery.receipt(), TwoProcesses.LEASE),
                          new Settlement.Defer(delivery.receipt(), HOUR))))
              .containsExactly(SettleOutcome.CANCELLED, SettleOutcome.DISCARDED);
          assertThat(queue.find("a")).isEmpty();
        });
  }

  @Test
  default void settle_retriesInSeveralProcesses_keepAllFailures(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(delivery.attempt()).isEqualTo(attempt);
            Settlement retry =
                new Settlement.Retry(delivery.receipt(), Duration.ZERO, "failure " + attempt);
            assertThat(settler.settle(List.of(retry))).containsExactly(SettleOutcome.DONE);
            delivery = TwoProcesses.claimed(partition, queue);
          }
          assertThat(delivery.failures())
              .extracting(failure -> failure.attempt() + ": " + failure.error())
              .containsExactly("1: failure 1", "2: failure 2", "3: failure 3");
          Settlement bury = new Settlement.Bury(delivery.receipt(), "enough");
          assertThat(settler.settle(List.of(bury))).containsExactly(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "a").failures()).hasSize(3);
        });
  }

  @Test
  default void settle_recurringMessage_continuesTheRecurrence(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Instant first = Instant.ofEpochMilli(partition.past().millis());
          Duration day = Duration.ofDays(1);
          queue.schedule(
              Message.of("x").id("a").dueAt(first).recurring(Recurrence.every(day).catchUp()));
          Delivery<String> delivery = TwoProcesses.claimed(partition, queue);
          Settlement defer = new Settlement.Defer(delivery.receipt(), Duration.ZERO);
          assertThat(settler.settle(List.of(defer))).containsExactly(SettleOutcome.DONE);
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.occurrence()).isEqualTo(first);
          Settlement retry = new Settlement.Retry(delivery.receipt(), Duration.ZERO, "again");
          assertThat(settler.settle(List.of(retry))).containsExactly(SettleOutcome.DONE);
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.occurrence()).isEqualTo(first);
          Settlement ack = new Settlement.Ack(delivery.receipt());
          assertThat(settler.settle(List.of(ack))).containsExactly(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "a").state()).isEqualTo(State.SCHEDULED);
          assertThat(TwoProcesses.stored(queue, "a").dueAt()).isEqualTo(first.plus(day));
          assertThat(TwoProcesses.stored(queue, "a").payload()).isEqualTo("x");
          assertThat(settler.settle(List.of(ack))).containsExactly(SettleOutcome.LEASE_LOST);
        });
  }

  @Test
  default void settle_ackOfARememberedMessage_remembersItsId(TestPartition partition) {
    partition.needs(Capability.REMEMBER);
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          queue.schedule(Message.of("x").id("a").rememberFor(HOUR));
          Delivery<String> delivery = TwoProcesses.claimed(partition, queue);
          Settlement ack = new Settlement.Ack(delivery.receipt());
          assertThat(settler.settle(List.of(ack))).containsExactly(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "a").state()).isEqualTo(State.FINISHED);
        });
  }

  @Test
  default void settle_badInput_throwsAndSettlesNothing(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          List<Settlement> withNull = new ArrayList<>();
          withNull.add(new Settlement.Ack(delivery.receipt()));
          withNull.add(null);
          assertThatThrownBy(() -> settler.settle(withNull))
              .isInstanceOf(NullPointerException.class)
              .hasMessageContaining("null settlement");
          for (String token : List.of("", "1", "1.", "x.1", "1.1z", "1.99999999999", "1.1\n")) {
            assertThatThrownBy(() -> new Receipt("a", token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not the token of a delivery");
          }
          assertThatThrownBy(() -> new Receipt("", delivery.receipt().token()))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("An id has 1 to");
          assertThatThrownBy(() -> new Settlement.Extend(delivery.receipt(), Duration.ZERO))
              .isInstanceOf(IllegalArgumentException.class);
          assertThat(settler.settle(List.of())).isEmpty();
          assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
        });
  }
}
