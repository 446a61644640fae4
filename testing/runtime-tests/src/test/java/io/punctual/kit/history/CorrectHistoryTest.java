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
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checker reports no breach in histories that look odd but are correct. */
class CorrectHistoryTest {
  private final Script script = new Script();
  private final ScriptedProcess one = script.process("one");
  private final ScriptedProcess two = script.process("two");

  @AfterEach
  void nothingIsBroken() {
    HistoryReport report = script.check();
    assertThat(report.isClean()).as(report.toString()).isTrue();
  }

  @Test
  void schedule_unansweredAndNeverSeen_mayNotHaveHappened() {
    one.invokeSchedule("a", IfPresent.KEEP, 0);
    two.inventoryOfNothing();
  }

  @Test
  void schedule_unansweredAndDelivered_mayHaveHappened() {
    one.invokeSchedule("a", IfPresent.KEEP, 0);
    two.handle("a", 1, 1, 0);
    two.ack("a", 1, SettleOutcome.DONE);
    two.inventoryOfNothing();
  }

  @Test
  void schedule_withoutIdUnansweredAndDelivered_mayHaveHappened() {
    one.invokeSchedule(null, IfPresent.KEEP, 0);
    script.at(5);
    one.invokeSchedule(null, IfPresent.KEEP, 7);
    script.at(10);
    two.handle("made", 1, 1, 7);
    two.ack("made", 1, SettleOutcome.DONE);
  }

  @Test
  void schedule_withoutIdUnansweredInTwoProcesses_explainsTheIdsOfBoth() {
    two.invokeSchedule(null, IfPresent.KEEP, 0);
    two.handle("early", 1, 1, 0);
    two.ack("early", 1, SettleOutcome.DONE);
    one.invokeSchedule(null, IfPresent.KEEP, 0);
    one.handle("late", 2, 1, 0);
    one.ack("late", 2, SettleOutcome.DONE);
  }

  @Test
  void schedule_unansweredReplaceDuringLease_explainsTheRefusal() {
    one.schedule("a", 0);
    two.handle("a", 1, 1, 0);
    one.invokeSchedule("a", IfPresent.REPLACE, 500);
    two.ack("a", 1, SettleOutcome.LEASE_LOST);
    script.at(500);
    two.handle("a", 2, 1, 500);
    two.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void cancel_unanswered_leavesBothOpen() {
    one.schedule("a", 0);
    one.schedule("b", 0);
    one.invokeCancel("a");
    one.invokeCancel("b");
    two.handle("a", 1, 1, 0);
    two.ack("a", 1, SettleOutcome.DONE);
    two.inventoryOfNothing();
  }

  @Test
  void cancel_duringClaim_mayComeBeforeOrAfter() {
    one.schedule("a", 0);
    long claim = two.invokeClaim();
    long cancel = one.invokeCancel("a");
    two.claimed(claim, "a", 1, 1, 0);
    one.answer(cancel, CancelOutcome.RUNNING);
    two.handOver("a", 1, false);
    two.returned("a", 1, true, false);
    two.settle(SettlementKind.RETRY, "a", 1, 10, SettleOutcome.DISCARDED);
    two.inventoryOfNothing();
  }

  /** Some stores execute claims and settlements of a process at the same time. */
  @Test
  void claim_sentAfterAnAckButExecutedBefore_explainsTheRefusal() {
    one.schedule("a", 0);
    two.handle("a", 1, 1, 0);
    long ack = two.invoke(SettlementKind.ACK, "a", 1, 0);
    script.at(3000);
    two.claim("a", 2, 2, 0);
    two.answer(ack, SettleOutcome.LEASE_LOST);
    two.handOver("a", 2, false);
    two.returned("a", 2, false, false);
    two.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void cancel_ofRunningMessageWhoseLeaseRanOut_discards() {
    one.schedule("a", 0);
    two.handle("a", 1, 1, 0);
    one.cancel("a", CancelOutcome.RUNNING);
    one.cancel("a", CancelOutcome.RUNNING);
    script.at(3000);
    two.ack("a", 1, SettleOutcome.LEASE_LOST);
    one.cancel("a", CancelOutcome.NOT_FOUND);
    one.schedule("a", 4000);
    one.beginInventory();
    one.found("a", State.SCHEDULED, 4000, 0);
    one.endInventory();
  }

  @Test
  void schedule_ofMarkedMessage_replacesInEveryModeButReject() {
    one.schedule("a", 0);
    two.claim("a", 1, 1, 0);
    one.cancel("a", CancelOutcome.RUNNING);
    long rejected = one.invokeSchedule("a", IfPresent.REJECT, 50);
    one.answer(rejected, "a", ScheduleOutcome.REJECTED, 0, State.LEASED);
    long kept = one.invokeSchedule("a", IfPresent.KEEP, 50);
    one.answer(kept, "a", ScheduleOutcome.REPLACED, 50, State.LEASED);
    two.settle(SettlementKind.EXTEND, "a", 1, 1000, SettleOutcome.LEASE_LOST);
    one.beginInventory();
    one.found("a", State.SCHEDULED, 50, 0);
    one.endInventory();
  }

  @Test
  void extension_ofMarkedMessage_reportsTheCancel() {
    one.schedule("a", 0);
    two.claim("a", 1, 1, 0);
    one.cancel("a", CancelOutcome.RUNNING);
    two.settle(SettlementKind.EXTEND, "a", 1, 1000, SettleOutcome.CANCELLED);
    two.settle(SettlementKind.DEFER, "a", 1, 10, SettleOutcome.DISCARDED);
    one.inventoryOfNothing();
  }

  @Test
  void repeat_ofSecondAttempt_isTheFirstAttemptAgain() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.RETRY, "a", 1, 0, SettleOutcome.DONE);
    one.handle("a", 2, 2, 0);
    one.settle(SettlementKind.REPEAT, "a", 2, 0, SettleOutcome.DONE);
    two.handle("a", 3, 1, 0);
    two.ack("a", 3, SettleOutcome.DONE);
    one.inventoryOfNothing();
  }

  @Test
  void schedule_ofDeadLetter_replacesInEveryModeButReject() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.BURY, "a", 1, 0, SettleOutcome.DONE);
    long rejected = one.invokeSchedule("a", IfPresent.REJECT, 50);
    one.answer(rejected, "a", ScheduleOutcome.REJECTED, 0, State.DEAD);
    long kept = one.invokeSchedule("a", IfPresent.KEEP, 50);
    one.answer(kept, "a", ScheduleOutcome.REPLACED, 50, State.DEAD);
    one.beginInventory();
    one.found("a", State.SCHEDULED, 50, 0);
    one.endInventory();
  }

  @Test
  void ack_ofRunOutButUnclaimedLease_isAccepted() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    script.at(9000);
    one.ack("a", 1, SettleOutcome.DONE);
    one.inventoryOfNothing();
  }

  @Test
  void ack_unansweredBeforeACrash_mayHaveHappened() {
    one.schedule("a", 0);
    one.schedule("b", 0);
    one.handle("a", 1, 1, 0);
    one.handle("b", 2, 1, 0);
    one.invoke(SettlementKind.ACK, "a", 1, 0);
    one.invoke(SettlementKind.ACK, "b", 2, 0);
    script.at(1001);
    two.handle("b", 3, 2, 0);
    two.ack("b", 3, SettleOutcome.DONE);
    two.inventoryOfNothing();
  }

  @Test
  void ack_unansweredAndTheIdScheduledAgain_doesNotMeetTheNewMessage() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.invoke(SettlementKind.ACK, "a", 1, 0);
    two.schedule("a", 500);
    script.at(500);
    two.handle("a", 2, 1, 500);
    two.ack("a", 2, SettleOutcome.DONE);
    two.inventoryOfNothing();
  }

  @Test
  void ack_sentInTwoSessions_isRefusedTheSecondTime() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    long lost = one.invoke(SettlementKind.ACK, "a", 1, 0);
    one.failed(lost, Doubt.UNKNOWN);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    one.inventoryOfNothing();
  }

  @Test
  void claim_unansweredBeforeACrash_countsAnAttempt() {
    one.schedule("a", 0);
    two.invokeClaim();
    script.at(5000);
    one.handle("a", 2, 2, 0);
    one.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void claim_answeredAfterItsLease_mayHaveCountedAnAttempt() {
    one.schedule("a", 0);
    long claim = two.invokeClaim();
    script.at(1001);
    two.claimedNothing(claim);
    one.handle("a", 2, 2, 0);
    one.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void claimAtMostOnce_answered_messageIsGone() {
    one.schedule("a", 0);
    one.claimAtMostOnce("a", 1, 1, 0);
    one.inventoryOfNothing();
    one.schedule("a", 0);
    one.handle("a", 2, 1, 0);
    one.ack("a", 2, SettleOutcome.DONE);
  }

  @Test
  void claimAtMostOnce_unanswered_mayLoseTheMessage() {
    one.schedule("a", 0);
    two.invokeClaim(true);
    script.at(9000);
    one.inventoryOfNothing();
  }

  @Test
  void claim_answeredTheSecondTimeWithoutAMessageThatWasCancelled_leavesItDiscarded() {
    one.schedule("a", 0);
    long claim = two.invokeClaim();
    two.failed(claim, Doubt.UNKNOWN);
    one.cancel("a", CancelOutcome.RUNNING);
    two.sentAgain(claim);
    script.at(4000);
    two.claimedNothing(claim);
    one.cancel("a", CancelOutcome.NOT_FOUND);
  }

  @Test
  void claim_answeredTwiceUnderOneNumber_isOneLease() {
    one.schedule("a", 0);
    long claim = one.invokeClaim();
    one.sentAgain(claim);
    one.claimed(claim, "a", 1, 1, 0);
    one.claimed(claim, "a", 1, 1, 0);
    one.handOver("a", 1, false);
    one.returned("a", 1, false, false);
    one.ack("a", 1, SettleOutcome.DONE);
  }

  @Test
  void claim_afterTheLeaseRanOut_isRedelivery() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    script.at(1002);
    two.handle("a", 2, 2, 0);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    two.ack("a", 2, SettleOutcome.DONE);
    assertThat(script.check().redelivered()).isEqualTo(1);
    assertThat(script.check().delivered()).isEqualTo(1);
    assertThat(script.check().handedOver()).isEqualTo(2);
  }

  @Test
  void extension_unanswered_leavesTheEndOfTheLeaseOpen() {
    one.schedule("a", 0);
    one.schedule("b", 0);
    one.handle("a", 1, 1, 0);
    one.handle("b", 2, 1, 0);
    script.at(900);
    one.invoke(SettlementKind.EXTEND, "a", 1, 1000);
    one.invoke(SettlementKind.EXTEND, "b", 2, 1000);
    script.at(1100);
    two.handle("a", 3, 2, 0);
    script.at(2000);
    two.handle("b", 4, 2, 0);
  }

  @Test
  void release_ofAnAttempt_isNotCounted() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.settle(SettlementKind.RELEASE, "a", 1, 0, SettleOutcome.DONE);
    two.handle("a", 2, 1, 0);
    two.settle(SettlementKind.RETRY, "a", 2, 100, SettleOutcome.DONE);
    script.at(101);
    one.claim("a", 3, 2, 100);
    one.settle(SettlementKind.RELEASE, "a", 3, 0, SettleOutcome.DONE);
    one.handle("a", 4, 2, 100);
    one.ack("a", 4, SettleOutcome.DONE);
    one.inventoryOfNothing();
  }

  @Test
  void redrive_afterBurial_startsAtTheFirstAttempt() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.BURY, "a", 1, 0, SettleOutcome.DONE);
    one.redrive("a", DeadLetterOutcome.DONE);
    one.redrive("a", DeadLetterOutcome.NOT_DEAD);
    script.at(10);
    one.handle("a", 2, 1, 5);
    one.settle(SettlementKind.BURY, "a", 2, 0, SettleOutcome.DONE);
    one.beginInventory();
    one.found("a", State.DEAD, 5, 1);
    one.endInventory();
  }

  @Test
  void bury_ofExpiredMessage_isCountedApart() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    one.settle(SettlementKind.BURY, "a", 1, 0, SettleOutcome.DONE);
    assertThat(script.check().buriedUnseen()).isEqualTo(1);
    assertThat(script.check().buried()).isEqualTo(1);
  }

  @Test
  void handOver_ofALeaseThatWasRevokedMeanwhile_isNoBreach() {
    one.schedule("a", 0);
    two.claim("a", 1, 1, 0);
    one.replace("a", 900, State.LEASED);
    one.cancel("a", CancelOutcome.CANCELLED);
    two.handOver("a", 1, false);
    two.returned("a", 1, false, true);
    two.ack("a", 1, SettleOutcome.LEASE_LOST);
    one.inventoryOfNothing();
  }

  @Test
  void silence_isCountedFromTheTimeOfTheRetry() {
    script.at(10_000);
    one.schedule("a", 9_000);
    one.handle("a", 10, 1, 9_000);
    one.settle(SettlementKind.RETRY, "a", 10, 100, SettleOutcome.DONE);
    script.at(20_000);
    one.claim("a", 11, 2, 10_100);
    assertThat(script.check().longestSilence())
        .isBetween(Duration.ofMillis(9_800), Duration.ofMillis(9_900));
  }

  @Test
  void threads_ofOneProcess_areNotOrderedByTheirInvocations() {
    long schedule = one.invokeSchedule("a", IfPresent.KEEP, 100);
    long cancel = two.invokeCancel("a");
    one.answer(schedule, "a", ScheduleOutcome.STORED, 100, null);
    two.answer(cancel, CancelOutcome.NOT_FOUND);
    one.cancel("a", CancelOutcome.CANCELLED);
  }
}
