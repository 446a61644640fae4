package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Checks the logs of several threads that used the same ids. A life of an id begins when a message
 * is stored under the id, and ends when this message is removed or its content is replaced. Every
 * payload is scheduled once, so it identifies a life; tokens order the deliveries of a life. The
 * following rules hold for every interleaving, so the check needs no knowledge of the actual order:
 *
 * <ul>
 *   <li>a life is delivered again only after its previous lease was settled, or expired by the
 *       engine's clock; its attempt follows from the way in which that lease ended;
 *   <li>a life is never delivered again after an ack;
 *   <li>a lease ends at most once;
 *   <li>after the reply to a call that removed or replaced a message, no new claim takes a life
 *       that began before that call;
 *   <li>once all messages are drained, each id was removed as often as it was created.
 * </ul>
 */
final class FuzzVerdict {
  private final List<FuzzLog.Taken> taken;
  private final List<FuzzLog.Done> done;
  private final Map<String, FuzzLog.Done> births = new HashMap<>();
  private final Map<String, List<FuzzLog.Done>> accepted;

  FuzzVerdict(List<FuzzLog> logs) {
    taken = logs.stream().flatMap(FuzzLog::taken).toList();
    done = logs.stream().flatMap(FuzzLog::done).toList();
    done.stream().filter(FuzzVerdict::beginsALife).forEach(one -> births.put(life(one), one));
    accepted =
        done.stream()
            .filter(FuzzVerdict::isAccepted)
            .collect(Collectors.groupingBy(FuzzVerdict::lease));
  }

  void check() {
    assertThat(taken).as("deliveries").hasSizeGreaterThan(50);
    assertThat(taken).allSatisfy(one -> assertThat(births).containsKey(one.held().payload()));
    taken.stream()
        .map(FuzzLog.Taken::held)
        .collect(Collectors.groupingBy(ClaimedMessage::payload))
        .values()
        .forEach(this::expectOneHolderAtATime);
    accepted.values().forEach(FuzzVerdict::expectEndedOnce);
    done.stream().filter(FuzzVerdict::endsAnEarlierLife).forEach(this::expectNotTakenAfter);
    done.stream()
        .collect(Collectors.groupingBy(one -> one.operation().id()))
        .forEach(FuzzVerdict::expectRemovedAsOftenAsCreated);
  }

  private void expectOneHolderAtATime(List<ClaimedMessage> ofOneLife) {
    List<ClaimedMessage> deliveries =
        ofOneLife.stream().sorted(Comparator.comparingLong(ClaimedMessage::token)).toList();
    assertThat(deliveries).extracting(ClaimedMessage::token).doesNotHaveDuplicates();
    assertThat(deliveries.get(0).attempt()).isEqualTo(1);
    for (int i = 1; i < deliveries.size(); i++) {
      ClaimedMessage before = deliveries.get(i - 1);
      ClaimedMessage after = deliveries.get(i);
      assertThat(after.attempt()).as("%s after %s", after, before).isEqualTo(next(before, after));
    }
  }

  /**
   * Returns the expected attempt of the next delivery, which depends on the end of the delivery
   * before it.
   */
  private int next(ClaimedMessage before, ClaimedMessage after) {
    long leasedUntil = before.leasedUntilMillis();
    for (FuzzLog.Done settlement : accepted.getOrDefault(lease(before), List.of())) {
      Operation operation = settlement.operation();
      if (operation instanceof Operation.Extend extend) {
        leasedUntil = new DueTime(true, extend.leaseMillis()).atMillis(settlement.engineMicros());
      } else if (isGone(settlement) || hasNewContent(settlement)) {
        throw new AssertionError(after + " was delivered after " + settlement);
      } else {
        return attemptAfter(operation, before);
      }
    }
    assertThat(after.engineMicros() / 1000)
        .as("%s was claimed while it was leased as %s", after, before)
        .isGreaterThanOrEqualTo(leasedUntil);
    return before.attempt() + 1;
  }

  private static int attemptAfter(Operation settlement, ClaimedMessage before) {
    if (settlement instanceof Operation.Release) {
      return before.attempt();
    }
    boolean restarts =
        settlement instanceof Operation.Bury || settlement instanceof Operation.Repeat;
    return restarts ? 1 : before.attempt() + 1;
  }

  private static void expectEndedOnce(List<FuzzLog.Done> ofOneLease) {
    assertThat(ofOneLease)
        .filteredOn(one -> !(one.operation() instanceof Operation.Extend))
        .hasSizeLessThanOrEqualTo(1);
  }

  private void expectNotTakenAfter(FuzzLog.Done end) {
    assertThat(taken)
        .filteredOn(one -> one.held().id().equals(end.operation().id()) && one.begin() > end.end())
        .allSatisfy(
            one ->
                assertThat(births.get(one.held().payload()))
                    .as("%s was claimed after %s", one, end)
                    .satisfies(birth -> assertThat(birth.end()).isGreaterThan(end.begin())));
  }

  private static void expectRemovedAsOftenAsCreated(String id, List<FuzzLog.Done> ofOneId) {
    assertThat(ofOneId.stream().filter(FuzzVerdict::isGone).count())
        .as("how often %s was removed, compared with how often it was created", id)
        .isEqualTo(ofOneId.stream().filter(FuzzVerdict::isNew).count());
  }

  private static boolean endsAnEarlierLife(FuzzLog.Done one) {
    return beginsALife(one) || isGone(one);
  }

  private static boolean beginsALife(FuzzLog.Done one) {
    return isStored(one) || hasNewContent(one);
  }

  /** A repeat or redrive with new content ends a life and begins the next life of the same id. */
  private static boolean hasNewContent(FuzzLog.Done one) {
    return one.operation().content() != null
        && (one.outcome().equals(new Outcome.OfSettlement(SettleOutcome.DONE))
            || one.outcome().equals(new Outcome.OfDeadLetter(DeadLetterOutcome.DONE)));
  }

  private static boolean isStored(FuzzLog.Done one) {
    return isNew(one)
        || (one.outcome() instanceof Outcome.OfSchedule of
            && of.outcome() == ScheduleOutcome.REPLACED);
  }

  private static boolean isNew(FuzzLog.Done one) {
    return one.outcome() instanceof Outcome.OfSchedule of && of.outcome() == ScheduleOutcome.STORED;
  }

  private static boolean isGone(FuzzLog.Done one) {
    Outcome outcome = one.outcome();
    if (outcome instanceof Outcome.OfCancel of) {
      return of.outcome() == CancelOutcome.CANCELLED;
    } else if (one.operation() instanceof Operation.ChangeWaiting change) {
      return change.due() == null
          && outcome.equals(new Outcome.OfReschedule(RescheduleOutcome.RESCHEDULED));
    } else if (outcome instanceof Outcome.OfDeadLetter of) {
      return of.outcome() == DeadLetterOutcome.DONE
          && one.operation() instanceof Operation.DeleteDead;
    } else if (outcome instanceof Outcome.OfSettlement of) {
      return of.outcome() == SettleOutcome.DISCARDED
          || (of.outcome() == SettleOutcome.DONE && one.operation() instanceof Operation.Ack);
    }
    return false;
  }

  private static boolean isAccepted(FuzzLog.Done one) {
    return one.outcome() instanceof Outcome.OfSettlement of
        && of.outcome() != SettleOutcome.LEASE_LOST;
  }

  private static String lease(FuzzLog.Done settlement) {
    Operation.Settlement operation = (Operation.Settlement) settlement.operation();
    return operation.id() + " " + operation.token();
  }

  private static String lease(ClaimedMessage held) {
    return held.id() + " " + held.token();
  }

  private static String life(FuzzLog.Done birth) {
    Content content = Objects.requireNonNull(birth.operation().content());
    return new String(content.payload(), UTF_8);
  }
}
