package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each settlement, by the last holder, over an id in each standing. */
interface SettlementTableContract {
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
  })
  default void ack_eachStanding_removesWhatIsHeld(
      Standing standing, SettleOutcome outcome, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().ack(cell.held())).isEqualTo(outcome);
    if (outcome == SettleOutcome.DONE) {
      cell.expectGone();
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DISCARDED",
    "EXPIRED_MARKED, DISCARDED",
    "DEAD,           LEASE_LOST",
  })
  default void retry_eachStanding_bringsBackWhatIsHeld(
      Standing standing, SettleOutcome outcome, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().retry(cell.held(), partition.past(), "again")).isEqualTo(outcome);
    switch (outcome) {
      case DONE -> cell.expectOldReady(3, "again");
      case DISCARDED -> cell.expectGone();
      case LEASE_LOST -> cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DISCARDED",
    "EXPIRED_MARKED, DISCARDED",
    "DEAD,           LEASE_LOST",
  })
  default void release_eachStanding_givesBackUncounted(
      Standing standing, SettleOutcome outcome, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().release(cell.held())).isEqualTo(outcome);
    switch (outcome) {
      case DONE -> cell.expectOldReady(2, Standing.HISTORY);
      case DISCARDED -> cell.expectGone();
      case LEASE_LOST -> cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DISCARDED",
    "EXPIRED_MARKED, DISCARDED",
    "DEAD,           LEASE_LOST",
  })
  default void bury_eachStanding_buriesWhatIsHeld(
      Standing standing, SettleOutcome outcome, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().bury(cell.held(), "enough")).isEqualTo(outcome);
    switch (outcome) {
      case DONE -> expectBuried(partition, cell);
      case DISCARDED -> cell.expectGone();
      case LEASE_LOST -> cell.expectUnchanged();
    }
  }

  private static void expectBuried(TestPartition partition, Cell cell) {
    partition.expectCounts(0, 0, 0, 1);
    assertThat(cell.session().claimIds()).isEmpty();
    cell.expectLeaseLost();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(Standing.ID);
      assertThat(entry.state()).isEqualTo(State.DEAD);
      assertThat(entry.attempts()).isEqualTo(2);
      assertThat(entry.history()).asString(StandardCharsets.UTF_8).isEqualTo("enough");
      assertThat(entry.dueMillis()).isEqualTo(partition.past().millis());
      assertThat(entry.diedAtMillis()).isPositive();
      assertThat(entry.leasedUntilMillis()).isZero();
    }
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
  })
  default void extend_eachStanding_holdsOnToWhatIsHeld(
      Standing standing, SettleOutcome outcome, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().extend(cell.held(), TestSession.LONG)).isEqualTo(outcome);
    if (outcome == SettleOutcome.LEASE_LOST) {
      cell.expectUnchanged();
    } else {
      expectHeldOn(partition, cell, standing);
    }
  }

  private static void expectHeldOn(TestPartition partition, Cell cell, Standing standing) {
    partition.expectCounts(0, 0, 1, 0);
    assertThat(cell.session().claimIds()).isEmpty();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(Standing.ID);
      assertThat(entry.attempts()).isEqualTo(2);
      assertThat(entry.cancelled()).isEqualTo(standing.name().contains("MARKED"));
      assertThat(entry.leasedUntilMillis())
          .isGreaterThanOrEqualTo(cell.held().engineMicros() / 1000 + TestSession.LONG.toMillis());
    }
    assertThat(cell.session().ack(cell.held())).isEqualTo(SettleOutcome.DONE);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"LEASED", "EXPIRED", "MARKED", "EXPIRED_MARKED"})
  default void settle_heldUnderAnotherToken_refusedWithoutEffect(
      Standing standing, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    long token = cell.held().token();
    for (long other : new long[] {0, 1, token - 1, token + 1, Long.MAX_VALUE}) {
      for (Operation.Settlement settlement :
          PartitionSettlements.all(cell.held().withToken(other), partition.past())) {
        assertThat(cell.session().settle(settlement)).isEqualTo(SettleOutcome.LEASE_LOST);
      }
    }
    cell.expectUnchanged();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "SCHEDULED, 0",
    "READY, 1",
    "LEASED, 0",
    "EXPIRED, 1",
    "MARKED, 0",
    "EXPIRED_MARKED, 0",
    "DEAD, 0"
  })
  default void claim_eachStanding_takesOnlyWhatIsDueAndFree(
      Standing standing, int expected, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().claim(10, Duration.ofHours(1)).messages()).hasSize(expected);
    if (standing == Standing.EXPIRED_MARKED) {
      cell.expectGone();
    } else if (expected == 0) {
      cell.expectUnchanged();
    } else {
      cell.expectLeaseLost();
    }
  }
}
