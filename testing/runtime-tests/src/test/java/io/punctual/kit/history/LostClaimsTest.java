package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A crash of the store may lose claims of the last second, but no other confirmed change. */
class LostClaimsTest {
  private final Script script = new Script();
  private final ScriptedProcess one = script.process("one");
  private final ScriptedProcess two = script.process("two");

  @BeforeEach
  void scheduleAndClaim() {
    script.at(10_000);
    one.schedule("a", 0);
    one.handle("a", 1, 1, 0);
  }

  private void assertBreaches(long crashMillis, Breach... expected) {
    long crash = TimeUnit.MILLISECONDS.toNanos(crashMillis);
    HistoryReport report = script.history().withCrash(crash, crash).check();
    assertThat(report.breaches())
        .as(report.toString())
        .extracting(HistoryReport.Found::breach)
        .containsExactlyInAnyOrder(expected);
    assertThat(report.undecided()).isEmpty();
  }

  private void claimAgain() {
    script.at(10_500);
    two.handle("a", 2, 1, 0);
    two.ack("a", 2, SettleOutcome.DONE);
    two.inventoryOfNothing();
  }

  @Test
  void claim_crashFollows_mayBeLost() {
    script.at(10_450);
    one.ack("a", 1, SettleOutcome.LEASE_LOST);
    claimAgain();
    assertBreaches(10_400);
    assertThat(script.check().isClean()).isFalse();
  }

  @Test
  void claim_crashWasEarlierOrMuchLater_isKept() {
    claimAgain();
    assertBreaches(9_999, Breach.LEASED_TWICE, Breach.MISCOUNTED);
    assertBreaches(11_100, Breach.LEASED_TWICE, Breach.MISCOUNTED);
  }

  @Test
  void claim_extendedBeforeTheCrash_isKept() {
    one.settle(SettlementKind.EXTEND, "a", 1, 1000, SettleOutcome.DONE);
    claimAgain();
    assertBreaches(10_400, Breach.STALE_ACCEPTED);
  }

  @Test
  void ack_confirmedBeforeTheCrash_isKept() {
    one.ack("a", 1, SettleOutcome.DONE);
    script.at(10_500);
    two.handle("a", 2, 1, 0);
    assertBreaches(10_400, Breach.AFTER_ACK);
  }

  @Test
  void ack_notConfirmedBeforeTheCrash_mayBeLostWithItsClaim() {
    one.failed(one.invoke(SettlementKind.ACK, "a", 1, 0), Doubt.UNKNOWN);
    claimAgain();
    assertBreaches(10_400);
    assertThat(script.check().count(Breach.AFTER_ACK)).as("without the crash").isOne();
  }

  @Test
  void message_goneAfterTheCrash_isLost() {
    script.at(10_500);
    two.inventoryOfNothing();
    assertBreaches(10_400, Breach.LOST);
  }
}
