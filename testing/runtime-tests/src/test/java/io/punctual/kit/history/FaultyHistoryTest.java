package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import org.junit.jupiter.api.Test;

/**
 * The checker finds messages that are lost, early, leased twice at once, or delivered after a
 * cancel or an ack.
 */
class FaultyHistoryTest {
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
  void inventory_confirmedMessageMissing_isLost() {
    one.schedule("a", 100);
    one.inventoryOfNothing();
    assertBreaches(Breach.LOST);
  }

  @Test
  void inventory_retriedMessageMissing_isLost() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.RETRY, "a", 1, 50, SettleOutcome.DONE);
    one.inventoryOfNothing();
    assertBreaches(Breach.LOST);
  }

  @Test
  void inventory_leasedMessageOfKilledProcessMissing_isLost() {
    one.schedule("a", 0);
    two.claim("a", 1, 1, 0);
    one.inventoryOfNothing();
    assertBreaches(Breach.LOST);
  }

  @Test
  void schedule_storedAgainWhilePending_isLost() {
    one.schedule("a", 100);
    two.schedule("a", 200);
    assertBreaches(Breach.LOST);
  }

  @Test
  void cancel_notFoundWhilePending_isLost() {
    one.schedule("a", 100);
    one.cancel("a", CancelOutcome.NOT_FOUND);
    assertBreaches(Breach.LOST);
  }

  @Test
  void ack_refusedWhileHeldAndGone_isLost() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    one.inventoryOfNothing();
    assertBreaches(Breach.LOST);
  }

  @Test
  void ack_refusedWhileHeldAndStillThere_isUnexplained() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    script.at(2000);
    one.handle("a", 2, 2, 0);
    one.ack("a", 2, SettleOutcome.DONE);
    assertBreaches(Breach.UNEXPLAINED);
  }

  @Test
  void claim_beforeDue_isEarly() {
    one.schedule("a", 100);
    script.at(99);
    one.handle("a", 1, 1, 100);
    one.ack("a", 1, SettleOutcome.DONE);
    assertBreaches(Breach.EARLY);
  }

  @Test
  void claim_beforeDueThatTheClaimMisstates_isEarly() {
    one.schedule("a", 100);
    script.at(50);
    one.handle("a", 1, 1, 40);
    assertBreaches(Breach.EARLY);
  }

  @Test
  void claim_beforeTheTimeOfTheRetry_isEarly() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.settle(SettlementKind.RETRY, "a", 1, 500, SettleOutcome.DONE);
    script.at(300);
    two.handle("a", 2, 2, 300);
    assertBreaches(Breach.EARLY);
  }

  @Test
  void claim_beforeRescheduledTime_isEarly() {
    one.schedule("a", 10);
    one.reschedule("a", 500, RescheduleOutcome.RESCHEDULED);
    script.at(20);
    one.handle("a", 1, 1, 10);
    assertBreaches(Breach.EARLY);
  }

  @Test
  void claim_afterConfirmedCancel_isDeliveredAfterCancel() {
    one.schedule("a", 100);
    one.cancel("a", CancelOutcome.CANCELLED);
    script.at(100);
    two.handle("a", 1, 1, 100);
    assertBreaches(Breach.AFTER_CANCEL);
  }

  @Test
  void claim_afterCancelOfRunningMessageWhoseLeaseRanOut_isDeliveredAfterCancel() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    two.cancel("a", CancelOutcome.RUNNING);
    script.at(5000);
    two.handle("a", 2, 2, 0);
    assertBreaches(Breach.AFTER_CANCEL);
  }

  @Test
  void inventory_cancelledMessageThere_isDeliveredAfterCancel() {
    one.schedule("a", 100);
    one.cancel("a", CancelOutcome.CANCELLED);
    one.beginInventory();
    one.found("a", State.SCHEDULED, 100, 0);
    one.endInventory();
    assertBreaches(Breach.AFTER_CANCEL);
  }

  @Test
  void claim_afterConfirmedAck_isDeliveredAfterAck() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.DONE);
    script.at(5000);
    two.handle("a", 2, 2, 0);
    assertBreaches(Breach.AFTER_ACK);
  }

  @Test
  void claim_afterAckBecauseAScheduleWasSentTwice_isDeliveredAfterAck() {
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
    one.ack("a", 1, SettleOutcome.DONE);
    one.handle("a", 2, 1, 0);
    one.ack("a", 2, SettleOutcome.DONE);
    assertBreaches(Breach.AFTER_ACK);
  }

  @Test
  void claim_whileAnotherLeaseHolds_isLeasedTwice() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    script.at(999);
    two.claim("a", 2, 2, 0);
    assertBreaches(Breach.LEASED_TWICE);
  }

  @Test
  void claim_afterAClaimAtMostOnce_isAfterCancel() {
    one.schedule("a", 0);
    one.claimAtMostOnce("a", 1, 1, 0);
    script.at(9000);
    two.claim("a", 2, 2, 0);
    assertBreaches(Breach.AFTER_CANCEL);
  }

  @Test
  void message_goneAfterAnOrdinaryClaim_isLost() {
    one.schedule("a", 0);
    two.invokeClaim(false);
    script.at(9000);
    one.inventoryOfNothing();
    assertBreaches(Breach.LOST);
  }

  @Test
  void claim_whileAnExtendedLeaseHolds_isLeasedTwice() {
    one.schedule("a", 0);
    one.claim("a", 1, 1, 0);
    script.at(900);
    one.settle(SettlementKind.EXTEND, "a", 1, 1000, SettleOutcome.DONE);
    script.at(1500);
    two.claim("a", 2, 2, 0);
    assertBreaches(Breach.LEASED_TWICE);
  }

  @Test
  void claim_withAnOlderToken_isLeasedTwice() {
    one.schedule("a", 0);
    one.claim("a", 7, 1, 0);
    script.at(2000);
    two.claim("a", 7, 2, 0);
    assertBreaches(Breach.LEASED_TWICE);
  }

  @Test
  void claim_whileAnotherLeaseHoldsAndAClaimGotLost_isLeasedTwice() {
    one.schedule("a", 0);
    one.invokeClaim();
    script.at(10);
    one.claim("a", 1, 1, 0);
    script.at(20);
    two.claim("a", 2, 2, 0);
    assertBreaches(Breach.LEASED_TWICE);
  }
}
