package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * An id in an initial state, with methods that check its state after an operation. It is a cell of
 * the state table, which has a row for each initial state and a column for each operation. The old
 * message is the message of the initial state; the new message is the message that the operation
 * stores.
 */
final class StateTableCell {
  private final TestPartition partition;
  private final TestSession session;
  private final InitialState state;
  private final ClaimedMessage held;
  private final @Nullable Entry before;

  StateTableCell(TestPartition partition, InitialState state) {
    this.partition = partition;
    this.session = partition.session();
    this.state = state;
    this.held = state.arrange(partition, session);
    this.before = snapshot();
  }

  TestSession session() {
    return session;
  }

  /** The current or last lease of the message. */
  ClaimedMessage held() {
    return held;
  }

  /** The due time of the old message, or the time at which its id is forgotten. */
  DueTime oldDue() {
    return switch (state) {
      case SCHEDULED -> partition.far();
      case FINISHED -> new DueTime(false, doneUntilMillis());
      default -> partition.past();
    };
  }

  private long doneUntilMillis() {
    return session
        .schedule(InitialState.ID, partition.past(), IfPresent.REJECT, InitialState.NEW)
        .dueMillis();
  }

  Outcome.OfSchedule schedule(DueTime due, IfPresent mode) {
    return session.schedule(InitialState.ID, due, mode, InitialState.NEW);
  }

  private @Nullable Entry snapshot() {
    return partition.has(Capability.BROWSE) ? partition.find(InitialState.ID).orElse(null) : null;
  }

  /** Expects the message and its lease to be unchanged. */
  void expectUnchanged() {
    assertThat(snapshot()).usingRecursiveComparison().isEqualTo(before);
    expectCounts();
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(state.extended());
  }

  /**
   * Expects the effect of this outcome of a settlement; {@code done} checks the effect of a
   * settlement that succeeded.
   */
  void expectSettled(SettleOutcome outcome, Runnable done) {
    switch (outcome) {
      case DONE, CANCELLED -> done.run();
      case DISCARDED -> expectGone();
      case LEASE_LOST -> expectUnchanged();
    }
  }

  private void expectCounts() {
    partition.expectCounts(
        state == InitialState.SCHEDULED ? 1 : 0,
        state == InitialState.READY ? 1 : 0,
        state.isLeased() ? 1 : 0,
        state == InitialState.DEAD ? 1 : 0,
        state == InitialState.FINISHED ? 1 : 0);
  }

  /** Expects the message to be gone: it can be neither found, claimed nor settled. */
  void expectGone() {
    assertThat(snapshot()).isNull();
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
    expectLeaseLost();
  }

  /** Expects the new message to be due already, without any trace of the old message. */
  void expectNewReady() {
    partition.expectCounts(0, 1, 0, 0);
    expectLeaseLost();
    ClaimedMessage claimed = session.claimOne();
    assertThat(claimed.payload()).isEqualTo(InitialState.NEW);
    assertThat(claimed.attempt()).isEqualTo(1);
    assertThat(claimed.history()).isEmpty();
    assertThat(claimed.token()).isGreaterThan(held.token());
    expectLeaseLost();
    assertThat(session.ack(claimed)).isEqualTo(SettleOutcome.DONE);
    expectGone();
  }

  /** Expects the new message to be scheduled, without any trace of the old message. */
  void expectNewScheduled(DueTime due) {
    partition.expectCounts(1, 0, 0, 0);
    expectLeaseLost();
    assertThat(session.claimIds()).isEmpty();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(InitialState.ID);
      assertThat(entry.state()).isEqualTo(State.SCHEDULED);
      assertThat(entry.dueMillis()).isEqualTo(due.millis());
      assertThat(entry.attempts()).isZero();
      assertThat(entry.history()).isEmpty();
      assertThat(TestPartition.payload(entry)).isEqualTo(InitialState.NEW);
    }
  }

  /**
   * Expects the old message to be claimable now; the delivery has this attempt and this history.
   */
  void expectOldReady(int attempt, String history) {
    partition.expectCounts(0, 1, 0, 0);
    expectLeaseLost();
    ClaimedMessage claimed = session.claimOne();
    assertThat(claimed.payload()).isEqualTo(InitialState.OLD);
    assertThat(claimed.attempt()).isEqualTo(attempt);
    assertThat(claimed.history()).isEqualTo(history);
    assertThat(claimed.token()).isGreaterThan(held.token());
  }

  /** Expects every settlement with the token of the last lease to be refused. */
  void expectLeaseLost() {
    PartitionSettlements.all(held, partition.past())
        .forEach(
            settlement ->
                assertThat(session.settle(settlement))
                    .as("%s", settlement)
                    .isEqualTo(SettleOutcome.LEASE_LOST));
  }
}
