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

/**
 * Tests a claim, and the settlements except a repeat, for an id in the {@linkplain InitialState
 * initial states}. The settlements use the token of the last lease, or a wrong token.
 */
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
    "FINISHED,       LEASE_LOST",
  })
  default void ack_eachInitialState_removesLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
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
    "FINISHED,       LEASE_LOST",
  })
  default void retry_eachInitialState_returnsLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().retry(cell.held(), partition.past(), "again")).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> cell.expectOldReady(3, "again"));
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
    "FINISHED,       LEASE_LOST",
  })
  default void release_eachInitialState_givesBackUncounted(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().release(cell.held())).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> cell.expectOldReady(2, InitialState.HISTORY));
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
    "FINISHED,       LEASE_LOST",
  })
  default void release_withADueTimeEachInitialState_waitsUncounted(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().defer(cell.held(), partition.far())).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> expectDeferred(partition, cell));
  }

  private static void expectDeferred(TestPartition partition, StateTableCell cell) {
    partition.expectCounts(1, 0, 0, 0);
    assertThat(cell.session().claimIds()).isEmpty();
    cell.expectLeaseLost();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(InitialState.ID);
      assertThat(entry.attempts()).isEqualTo(1);
      assertThat(entry.history()).asString(StandardCharsets.UTF_8).isEqualTo(InitialState.HISTORY);
      assertThat(entry.dueMillis()).isEqualTo(partition.far().millis());
      assertThat(partition.browse(State.SCHEDULED, 10))
          .extracting(Entry::dueMillis)
          .containsExactly(partition.far().millis());
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
    "FINISHED,       LEASE_LOST",
  })
  default void bury_eachInitialState_buriesLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().bury(cell.held(), "enough")).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> expectBuried(partition, cell));
  }

  private static void expectBuried(TestPartition partition, StateTableCell cell) {
    partition.expectCounts(0, 0, 0, 1);
    assertThat(cell.session().claimIds()).isEmpty();
    cell.expectLeaseLost();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(InitialState.ID);
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
    "MARKED,         CANCELLED",
    "EXPIRED_MARKED, CANCELLED",
    "DEAD,           LEASE_LOST",
    "FINISHED,       LEASE_LOST",
  })
  default void extend_eachInitialState_extendsLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().extend(cell.held(), TestSession.LONG)).isEqualTo(outcome);
    if (outcome == SettleOutcome.LEASE_LOST) {
      cell.expectUnchanged();
    } else {
      expectHeldOn(partition, cell, state);
    }
  }

  private static void expectHeldOn(
      TestPartition partition, StateTableCell cell, InitialState state) {
    partition.expectCounts(0, 0, 1, 0);
    assertThat(cell.session().claimIds()).isEmpty();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(InitialState.ID);
      assertThat(entry.attempts()).isEqualTo(2);
      assertThat(entry.cancelled()).isEqualTo(state.isMarked());
      assertThat(entry.leasedUntilMillis())
          .isGreaterThanOrEqualTo(cell.held().engineMicros() / 1000 + TestSession.LONG.toMillis());
    }
    assertThat(cell.session().ack(cell.held())).isEqualTo(SettleOutcome.DONE);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"LEASED", "EXPIRED", "MARKED", "EXPIRED_MARKED"})
  default void settle_leasedUnderAnotherToken_refusedWithoutEffect(
      InitialState state, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
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
    "DEAD, 0",
    "FINISHED, 0"
  })
  default void claim_eachInitialState_takesOnlyReadyMessages(
      InitialState state, int expected, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().claim(10, Duration.ofHours(1)).messages()).hasSize(expected);
    if (state == InitialState.EXPIRED_MARKED) {
      cell.expectGone();
    } else if (expected == 0) {
      cell.expectUnchanged();
    } else {
      cell.expectLeaseLost();
    }
  }
}
