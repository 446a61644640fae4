package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import org.junit.jupiter.api.Test;

/** The checker finds wrong settlements, deliveries, attempts and answers. */
class FaultySettlementHistoryTest {
  private final Script script = new Script();
  private final ScriptedProcess one = script.process("one");
  private final ScriptedProcess two = script.process("two");

  private void assertBreaches(Breach... expected) {
    HistoryReport report = script.check();
    assertThat(report.breaches())
        .as(report.toString())
        .extracting(HistoryReport.Found::breach)
        .containsExactly(expected);
    assertThat(report.undecided()).isEmpty();
  }

  @Test
  void ack_withAnOldTokenAccepted_isStale() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    script.at(2000);
    two.claim("a", 2, 2, 0);
    one.ack("a", 1, SettleOutcome.DONE);
    two.ack("a", 2, SettleOutcome.LEASE_LOST);
    HistoryReport report = script.check();
    assertThat(report.count(Breach.STALE_ACCEPTED)).as(report.toString()).isEqualTo(1);
  }

  @Test
  void retry_afterReplaceAccepted_isStale() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    two.replace("a", 500, State.LEASED);
    one.settle(SettlementKind.RETRY, "a", 1, 900, SettleOutcome.DONE);
    assertBreaches(Breach.STALE_ACCEPTED);
  }

  @Test
  void release_twiceAccepted_isStale() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.settle(SettlementKind.RELEASE, "a", 1, 0, SettleOutcome.DONE);
    one.settle(SettlementKind.RELEASE, "a", 1, 0, SettleOutcome.DONE);
    assertBreaches(Breach.STALE_ACCEPTED);
  }

  @Test
  void handOver_twiceUnderOneLease_isDuplicate() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.handOver("a", 1, false);
    assertBreaches(Breach.DUPLICATE);
  }

  @Test
  void handOver_afterRelease_isDuplicate() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.settle(SettlementKind.RELEASE, "a", 1, 0, SettleOutcome.DONE);
    one.handOver("a", 1, false);
    assertBreaches(Breach.DUPLICATE);
  }

  @Test
  void ack_withoutHandler_isAckedUndone() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.DONE);
    assertBreaches(Breach.ACKED_UNDONE);
  }

  @Test
  void ack_afterFailure_isAckedUndone() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.handOver("a", 1, false);
    one.returned("a", 1, true, false);
    one.ack("a", 1, SettleOutcome.DONE);
    assertBreaches(Breach.ACKED_UNDONE);
  }

  @Test
  void handOver_afterDeadlineInSimulation_isStartedLate() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    script.at(1001);
    one.handOver("a", 1, true);
    assertThat(script.history().checkStrictly().count(Breach.STARTED_LATE)).isEqualTo(1);
    assertBreaches();
  }

  @Test
  void handOver_afterDeadlineAsIfTheLeaseHeld_isLossUnnoticed() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    script.at(1001);
    one.handOver("a", 1, false);
    assertBreaches(Breach.LOSS_UNNOTICED);
  }

  @Test
  void handler_returnsAfterDeadlineCountedFromTheAnswer_isLossUnnoticed() {
    one.schedule("a", 0);
    long op = one.invokeClaim();
    script.at(400);
    one.claimed(op, "a", 1, 1, 0);
    one.handOver("a", 1, false);
    script.at(1200);
    one.returned("a", 1, false, false);
    assertBreaches(Breach.LOSS_UNNOTICED);
  }

  @Test
  void handler_returnsAfterDeadlineThatAResentExtensionMoved_isLossUnnoticed() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.handOver("a", 1, false);
    script.at(300);
    long op = one.invoke(SettlementKind.EXTEND, "a", 1, 1000);
    script.at(800);
    one.sentAgain(op);
    one.answer(op, SettleOutcome.DONE);
    script.at(1500);
    one.returned("a", 1, false, false);
    assertBreaches(Breach.LOSS_UNNOTICED);
  }

  @Test
  void claim_countsAnAttemptThatNobodyMade_isMiscounted() {
    one.schedule("a", 0);
    one.claim("a", 1, 2, 0);
    assertBreaches(Breach.MISCOUNTED);
  }

  @Test
  void claim_afterReleaseThatCounted_isMiscounted() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.settle(SettlementKind.RELEASE, "a", 1, 0, SettleOutcome.DONE);
    one.claim("a", 2, 2, 0);
    assertBreaches(Breach.MISCOUNTED);
  }

  @Test
  void schedule_keptThoughNothingWasThere_isUnexplained() {
    long op = one.invokeSchedule("a", IfPresent.KEEP, 100);
    one.answer(op, "a", ScheduleOutcome.KEPT, 100, State.SCHEDULED);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void schedule_earliestWonByTheLater_isUnexplained() {
    one.schedule("a", 100);
    long op = one.invokeSchedule("a", IfPresent.EARLIEST, 200);
    one.answer(op, "a", ScheduleOutcome.REPLACED, 200, State.SCHEDULED);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void schedule_confirmedWithAnotherTime_isUnexplained() {
    long op = one.invokeSchedule("a", IfPresent.KEEP, 100);
    one.answer(op, "a", ScheduleOutcome.STORED, 99, null);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void cancel_runningThoughDead_isUnexplained() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.BURY, "a", 1, 0, SettleOutcome.DONE);
    one.cancel("a", CancelOutcome.RUNNING);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void redrive_doneThoughPending_isUnexplained() {
    one.schedule("a", 100);
    one.redrive("a", DeadLetterOutcome.DONE);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void calls_ofOneThreadInAnotherOrder_areUnexplained() {
    long schedule = one.invokeSchedule("a", IfPresent.KEEP, 100);
    long cancel = one.invokeCancel("a");
    one.answer(schedule, "a", ScheduleOutcome.STORED, 100, null);
    one.answer(cancel, CancelOutcome.NOT_FOUND);
    assertBreaches(Breach.LOST);
  }

  @Test
  void claim_ofAMessageThatNobodyScheduled_isUnexplained() {
    one.claim("a", 1, 1, 0);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void claim_ofMoreMadeIdsThanSchedules_isUnexplained() {
    one.invokeSchedule(null, IfPresent.KEEP, 0);
    two.claim("a", 1, 1, 0);
    two.claim("b", 2, 1, 0);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void schedule_failedAsNotDoneButDelivered_isUnexplained() {
    long op = one.invokeSchedule("a", IfPresent.KEEP, 0);
    one.failed(op, Doubt.NOT_DONE);
    two.claim("a", 1, 1, 0);
    assertBreaches(Breach.UNEXPLAINED);
  }
}
