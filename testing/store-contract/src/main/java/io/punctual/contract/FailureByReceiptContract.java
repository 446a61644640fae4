package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Delivery;
import io.punctual.Failure;
import io.punctual.Message;
import io.punctual.Receipt;
import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.ReportedException;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadReason;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A process that did not receive a delivery reports a failed attempt by its receipt. */
interface FailureByReceiptContract {
  Duration AN_HOUR = Duration.ofHours(1);

  private static ReportedException declined(String card) {
    return new ReportedException("CardError", "declined " + card, "cards.py:42");
  }

  private static SettleOutcome settle(TimedQueue<String> queue, Settlement settlement) {
    return queue.settle(List.of(settlement)).get(0);
  }

  @Test
  default void fail_reportedUntilTheLimit_retriesAndThenDies(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          RetryPolicy policy = RetryPolicy.fixed(Duration.ZERO).maxAttempts(3);
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(delivery.attempt()).isEqualTo(attempt);
            Settlement fail =
                new Settlement.Fail(delivery.receipt(), declined("card " + attempt), policy);
            assertThat(settle(settler, fail)).isEqualTo(SettleOutcome.DONE);
            assertThat(settle(settler, fail)).isEqualTo(SettleOutcome.LEASE_LOST);
            delivery = attempt < 3 ? TwoProcesses.claimed(partition, queue) : delivery;
          }
          StoredMessage<String> dead = TwoProcesses.stored(queue, "a");
          assertThat(dead.state()).isEqualTo(State.DEAD);
          assertThat(dead.deadReason()).hasValue(DeadReason.FAILED);
          assertThat(dead.reason()).hasValue("CardError: declined card 3");
          assertThat(dead.failures())
              .extracting(failure -> failure.attempt() + " " + failure.error())
              .containsExactly(
                  "1 CardError: declined card 1",
                  "2 CardError: declined card 2",
                  "3 CardError: declined card 3");
        });
  }

  @Test
  default void fail_reportedFromOnePlace_isOneGroupOfDeadLetters(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          for (int i = 0; i < 3; i++) {
            Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "m" + i);
            settle(
                settler,
                new Settlement.Fail(
                    delivery.receipt(), declined("card " + i), RetryPolicy.never()));
          }
          Delivery<String> other = TwoProcesses.scheduled(partition, queue, "other");
          settle(
              settler,
              new Settlement.Fail(
                  other.receipt(),
                  new ReportedException("CardError", "declined card 9", ""),
                  RetryPolicy.never()));
          List<DeadLetterGroup> groups = queue.deadLetters().groups(DeadLetterFilter.ALL).groups();
          assertThat(groups)
              .extracting(group -> group.failure() + " " + group.count())
              .containsExactlyInAnyOrder(
                  "CardError at cards.py:42 3", "CardError: declined card # 1");
          assertThat(groups)
              .allSatisfy(group -> assertThat(group.reason()).hasValue(DeadReason.FAILED));
        });
  }

  @Test
  default void fail_delay_isOfThePolicyOrOfTheFailure(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          RetryPolicy policy =
              RetryPolicy.fixed(AN_HOUR)
                  .forFailure(
                      failure -> failure instanceof ReportedException e && e.type().equals("Fatal"),
                      RetryPolicy.never());
          Delivery<String> byPolicy = TwoProcesses.scheduled(partition, queue, "policy");
          settle(settler, new Settlement.Fail(byPolicy.receipt(), declined("x"), policy));
          expectDue(TwoProcesses.stored(queue, "policy"), byPolicy, AN_HOUR);
          Delivery<String> byFailure = TwoProcesses.scheduled(partition, queue, "failure");
          RetryAfterException later = new RetryAfterException(Duration.ofDays(2), declined("x"));
          settle(settler, new Settlement.Fail(byFailure.receipt(), later, policy));
          expectDue(TwoProcesses.stored(queue, "failure"), byFailure, Duration.ofDays(2));
          Delivery<String> fatal = TwoProcesses.scheduled(partition, queue, "fatal");
          ReportedException failure = new ReportedException("Fatal", "", "main.go:7");
          settle(settler, new Settlement.Fail(fatal.receipt(), failure, policy));
          assertThat(TwoProcesses.stored(queue, "fatal").reason()).hasValue("Fatal");
        });
  }

  private static void expectDue(
      StoredMessage<String> message, Delivery<String> delivery, Duration delay) {
    assertThat(message.state()).isEqualTo(State.SCHEDULED);
    assertThat(message.dueAt())
        .isBetween(
            delivery.claimedAt().plus(delay).minusMillis(1),
            delivery.claimedAt().plus(delay).plus(AN_HOUR));
  }

  @Test
  default void fail_receiptWithAnotherAttempt_countsAsTheStoreDoes(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          RetryPolicy policy = RetryPolicy.fixed(Duration.ZERO).maxAttempts(2);
          Delivery<String> first = TwoProcesses.scheduled(partition, queue, "a");
          settle(settler, new Settlement.Fail(with(first, 1000), declined("x"), policy));
          assertThat(TwoProcesses.stored(queue, "a").failures())
              .extracting(Failure::attempt)
              .containsExactly(1);
          Delivery<String> second = TwoProcesses.claimed(partition, queue);
          settle(settler, new Settlement.Fail(with(second, 1), declined("x"), policy));
          assertThat(TwoProcesses.stored(queue, "a").deadReason()).hasValue(DeadReason.FAILED);
        });
  }

  private static Receipt with(Delivery<?> delivery, int attempt) {
    return new Receipt(delivery.id(), delivery.fencingToken() + "." + attempt);
  }

  @Test
  default void fail_recurringMessage_continuesUnlessItStopsOnFailure(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Instant first = Instant.ofEpochMilli(partition.past().millis());
          Recurrence daily = Recurrence.every(Duration.ofDays(1)).catchUp();
          queue.schedule(Message.of("x").id("a").dueAt(first).recurring(daily));
          Delivery<String> delivery = TwoProcesses.claimed(partition, queue);
          RetryPolicy policy = RetryPolicy.fixed(Duration.ZERO).maxAttempts(2);
          settle(settler, new Settlement.Fail(delivery.receipt(), declined("x"), policy));
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.occurrence()).isEqualTo(first);
          Settlement last = new Settlement.Fail(delivery.receipt(), declined("x"), policy);
          assertThat(settle(settler, last)).isEqualTo(SettleOutcome.DONE);
          StoredMessage<String> next = TwoProcesses.stored(queue, "a");
          assertThat(next.state()).isEqualTo(State.SCHEDULED);
          assertThat(next.dueAt()).isEqualTo(first.plus(Duration.ofDays(1)));
          assertThat(next.attempts()).isZero();
          assertThat(settle(settler, last)).isEqualTo(SettleOutcome.LEASE_LOST);
          queue.schedule(Message.of("x").id("b").dueAt(first).recurring(daily.stopOnFailure()));
          delivery = TwoProcesses.claimed(partition, queue);
          settle(
              settler, new Settlement.Fail(delivery.receipt(), declined("x"), RetryPolicy.never()));
          assertThat(TwoProcesses.stored(queue, "b").deadReason()).hasValue(DeadReason.FAILED);
        });
  }

  @Test
  default void fail_recurrenceOfAnUnknownKind_isRefusedAndNotEnded(
      TestPartition partition, TestSession session) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          String id = idIn(partition);
          Instant due = Instant.ofEpochMilli(partition.past().millis());
          Recurrence lunar = Recurrence.of("lunar", "new moon");
          queue.schedule(Message.of("x").id(id).dueAt(due).recurring(lunar));
          Receipt receipt = new Receipt(id, session.claimOne().token() + ".1r");
          Settlement fail = new Settlement.Fail(receipt, declined("x"), RetryPolicy.never());
          assertThatThrownBy(() -> settler.settle(List.of(fail)))
              .isInstanceOf(RecurrenceException.class)
              .hasMessageContaining("lunar");
          assertThat(TwoProcesses.stored(queue, id).state()).isEqualTo(State.LEASED);
          assertThat(settle(settler, new Settlement.Fail(receipt, declined("x"))))
              .isEqualTo(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, id).recurrence()).hasValue(lunar);
        });
  }

  /** Returns an id of the partition whose messages a session claims. */
  private static String idIn(TestPartition partition) {
    int partitions = partition.partitions().size();
    return Stream.iterate(0, i -> i + 1)
        .map(i -> "a" + i)
        .filter(id -> Partition.indexOf(id, partitions) == partition.partition().index())
        .findFirst()
        .orElseThrow();
  }

  @Test
  default void fail_expiredLease_doneUntilTheNextClaim(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          queue.schedule(Message.of("x").id("a"));
          Duration brief = Duration.ofMillis(300);
          Delivery<String> first = TwoProcesses.claimed(partition, queue, brief);
          partition.advance(Duration.ofMillis(350));
          Delivery<String> second = TwoProcesses.claimed(partition, queue, brief);
          Settlement late =
              new Settlement.Fail(first.receipt(), declined("x"), RetryPolicy.never());
          assertThat(settle(settler, late)).isEqualTo(SettleOutcome.LEASE_LOST);
          partition.advance(Duration.ofMillis(350));
          Settlement fail =
              new Settlement.Fail(second.receipt(), declined("x"), RetryPolicy.never());
          assertThat(settle(settler, fail)).isEqualTo(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "a").state()).isEqualTo(State.DEAD);
          assertThat(TwoProcesses.stored(queue, "a").failures())
              .extracting(Failure::attempt)
              .containsExactly(second.attempt());
        });
  }

  @Test
  default void fail_cancelledOrRemembered_isDiscardedOrRemembered(TestPartition partition) {
    partition.needs(Capability.CANCEL);
    partition.needs(Capability.REMEMBER);
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> cancelled = TwoProcesses.scheduled(partition, queue, "a");
          queue.cancel("a");
          Settlement fail = new Settlement.Fail(cancelled.receipt(), declined("x"));
          assertThat(settle(settler, fail)).isEqualTo(SettleOutcome.DISCARDED);
          assertThat(queue.find("a")).isEmpty();
          queue.schedule(Message.of("x").id("b").rememberFor(AN_HOUR));
          Delivery<String> delivery = TwoProcesses.claimed(partition, queue);
          RetryPolicy policy = RetryPolicy.fixed(Duration.ZERO);
          settle(settler, new Settlement.Fail(delivery.receipt(), declined("x"), policy));
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(settle(settler, new Settlement.Ack(delivery.receipt())))
              .isEqualTo(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "b").state()).isEqualTo(State.FINISHED);
        });
  }

  @Test
  default void fail_atTheSameTimeAsOtherSettlements_exactlyOneWins(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          for (int i = 0; i < 20; i++) {
            Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "race" + i);
            Settlement fail =
                new Settlement.Fail(delivery.receipt(), declined("x"), RetryPolicy.never());
            Settlement repeat = new Settlement.Repeat(delivery.receipt(), AN_HOUR);
            List<CompletionStage<SettleOutcome>> all =
                List.of(
                    settler.async().settle(List.of(fail)).thenApply(one -> one.get(0)),
                    queue.async().settle(List.of(repeat)).thenApply(one -> one.get(0)),
                    settler.async().settle(List.of(fail)).thenApply(one -> one.get(0)));
            assertThat(all)
                .extracting(outcome -> outcome.toCompletableFuture().join())
                .containsExactlyInAnyOrder(
                    SettleOutcome.DONE, SettleOutcome.LEASE_LOST, SettleOutcome.LEASE_LOST);
            boolean repeated = all.get(1).toCompletableFuture().join() == SettleOutcome.DONE;
            assertThat(TwoProcesses.stored(queue, "race" + i).state())
                .isEqualTo(repeated ? State.SCHEDULED : State.DEAD);
          }
        });
  }

  @Test
  default void repeat_byReceipt_startsAgainWithTheSameOrANewPayload(TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, "a");
          Settlement fail =
              new Settlement.Fail(
                  delivery.receipt(), declined("x"), RetryPolicy.fixed(Duration.ZERO));
          settle(settler, fail);
          delivery = TwoProcesses.claimed(partition, queue);
          Settlement.Repeat repeat = new Settlement.Repeat(delivery.receipt(), Duration.ZERO);
          assertThat(settle(settler, repeat)).isEqualTo(SettleOutcome.DONE);
          assertThat(settle(settler, repeat)).isEqualTo(SettleOutcome.LEASE_LOST);
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.payload()).isEqualTo("x");
          assertThat(delivery.attempt()).isEqualTo(1);
          assertThat(delivery.failures()).isEmpty();
          Settlement.Repeat again = new Settlement.Repeat(delivery.receipt(), Duration.ZERO);
          assertThat(settle(settler, again.withPayload("y"))).isEqualTo(SettleOutcome.DONE);
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.payload()).isEqualTo("y");
          Settlement.Repeat last = new Settlement.Repeat(delivery.receipt(), AN_HOUR);
          assertThatThrownBy(() -> settler.settle(List.of(last.withPayload(7))))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("java.lang.Integer")
              .hasMessageContaining("'a'");
          assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
        });
  }

  @Test
  default void repeatAndEndOfARecurringRememberedMessage_byReceipt_keepItsRules(
      TestPartition partition) {
    partition.needs(Capability.REMEMBER);
    TwoProcesses.run(
        partition,
        (queue, settler) -> {
          Instant first = Instant.ofEpochMilli(partition.past().millis());
          Recurrence daily = Recurrence.every(Duration.ofDays(1)).catchUp();
          queue.schedule(
              Message.of("x").id("a").dueAt(first).recurring(daily).rememberFor(AN_HOUR));
          Delivery<String> delivery = TwoProcesses.claimed(partition, queue);
          settle(settler, new Settlement.Defer(delivery.receipt(), Duration.ZERO));
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.occurrence()).isEqualTo(first);
          settle(settler, new Settlement.Repeat(delivery.receipt(), Duration.ZERO));
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.recurrence()).hasValue(daily);
          assertThat(delivery.occurrence()).isEqualTo(delivery.dueAt()).isAfter(first);
          settle(
              settler, new Settlement.Repeat(delivery.receipt(), Duration.ZERO).withPayload("y"));
          delivery = TwoProcesses.claimed(partition, queue);
          assertThat(delivery.payload()).isEqualTo("y");
          assertThat(delivery.recurrence()).hasValue(daily);
          Settlement end = new Settlement.EndRecurrence(delivery.receipt());
          assertThat(settle(settler, end)).isEqualTo(SettleOutcome.DONE);
          assertThat(TwoProcesses.stored(queue, "a").state()).isEqualTo(State.FINISHED);
          assertThat(settle(settler, end)).isEqualTo(SettleOutcome.LEASE_LOST);
        });
  }
}
