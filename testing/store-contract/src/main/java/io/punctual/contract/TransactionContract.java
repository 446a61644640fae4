package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations inside a transaction take effect if and when it commits. */
interface TransactionContract {
  private static Outcome applyIn(
      UserTransaction user, TestPartition partition, Operation operation) {
    return partition.partition().applyIn(user.transaction(), List.of(operation)).get(0);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DONE",
    "EXPIRED_MARKED, DONE",
    "DEAD,           LEASE_LOST",
    "FINISHED,       LEASE_LOST",
  })
  default void ackInTransaction_eachInitialState_removesLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.TRANSACTIONS);
    StateTableCell cell = new StateTableCell(partition, state);
    Operation ack = new Operation.Ack(InitialState.ID, cell.held().token());
    try (UserTransaction user = partition.transaction()) {
      assertThat(applyIn(user, partition, ack)).isEqualTo(new Outcome.OfSettlement(outcome));
      user.commit();
    }
    cell.expectSettled(outcome, cell::expectGone);
  }

  @ParameterizedTest
  @EnumSource
  default void changesInTransaction_rolledBack_haveNoEffect(
      InitialState state, TestPartition partition) {
    partition.needs(Capability.TRANSACTIONS);
    StateTableCell cell = new StateTableCell(partition, state);
    try (UserTransaction user = partition.transaction()) {
      applyIn(user, partition, new Operation.Ack(InitialState.ID, cell.held().token()));
      applyIn(user, partition, new Operation.Cancel(InitialState.ID));
      applyIn(
          user,
          partition,
          TestSession.scheduling(
              InitialState.ID, partition.past(), IfPresent.REPLACE, InitialState.NEW));
    }
    cell.expectUnchanged();
  }

  @Test
  default void scheduleInTransaction_isVisibleAfterTheCommit(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.TRANSACTIONS);
    try (UserTransaction user = partition.transaction()) {
      Outcome outcome =
          applyIn(
              user,
              partition,
              TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "payload"));
      assertThat(outcome)
          .isEqualTo(
              new Outcome.OfSchedule(ScheduleOutcome.STORED, partition.past().millis(), null));
      partition.expectCounts(0, 0, 0, 0);
      user.commit();
    }
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void laterCallInTransaction_seesTheChangesOfEarlierCalls(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.TRANSACTIONS);
    try (UserTransaction user = partition.transaction()) {
      Operation schedule =
          TestSession.scheduling("a", partition.far(), IfPresent.REJECT, "payload");
      applyIn(user, partition, schedule);
      assertThat(applyIn(user, partition, schedule))
          .isInstanceOfSatisfying(
              Outcome.OfSchedule.class,
              second -> assertThat(second.outcome()).isEqualTo(ScheduleOutcome.REJECTED));
      assertThat(applyIn(user, partition, new Operation.Cancel("a")))
          .isEqualTo(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      user.commit();
    }
    assertThat(session.claimIds()).isEmpty();
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void committedSchedule_ofTheEarliestMessage_hintsAfterTheCommit(TestPartition partition) {
    partition.needs(Capability.TRANSACTIONS);
    try (WakeUpListener listener = WakeUpListener.to(partition);
        UserTransaction user = partition.transaction()) {
      applyIn(
          user,
          partition,
          TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "payload"));
      assertThat(listener.hints()).isEmpty();
      user.commit();
      listener.awaitHint(Duration.ZERO);
    }
  }

  @Test
  default void foreignTransaction_isRefusedBeforeAnyEffect(TestPartition partition) {
    partition.needs(Capability.TRANSACTIONS);
    assertThatThrownBy(
            () ->
                partition
                    .partition()
                    .applyIn(
                        action -> {},
                        List.of(
                            TestSession.scheduling(
                                "a", partition.past(), IfPresent.KEEP, "payload"))))
        .isInstanceOf(IllegalArgumentException.class);
    partition.expectCounts(0, 0, 0, 0);
  }
}
