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

/** One cell of the state table: an id brought to a standing, and what a test expects afterwards. */
final class Cell {
  private final TestPartition partition;
  private final TestSession session;
  private final Standing standing;
  private final Held held;
  private final @Nullable Entry before;

  Cell(TestPartition partition, Standing standing) {
    this.partition = partition;
    this.session = partition.session();
    this.standing = standing;
    this.held = standing.arrange(partition, session);
    this.before = snapshot();
  }

  TestSession session() {
    return session;
  }

  /** The lease that the message is or was last under. */
  Held held() {
    return held;
  }

  Outcome.OfSchedule schedule(DueTime due, IfPresent mode) {
    return session.schedule(Standing.ID, due, mode, Standing.NEW);
  }

  private @Nullable Entry snapshot() {
    return partition.has(Capability.BROWSE) ? partition.find(Standing.ID).orElse(null) : null;
  }

  /** The message stands as it did, and so does its lease. */
  void expectUnchanged() {
    assertThat(snapshot()).usingRecursiveComparison().isEqualTo(before);
    expectCounts();
    assertThat(session.extend(held, TestSession.LONG))
        .isEqualTo(standing.isLeased() ? SettleOutcome.DONE : SettleOutcome.LEASE_LOST);
  }

  private void expectCounts() {
    partition.expectCounts(
        standing == Standing.SCHEDULED ? 1 : 0,
        standing == Standing.READY ? 1 : 0,
        standing.isLeased() ? 1 : 0,
        standing == Standing.DEAD ? 1 : 0);
  }

  /** Nothing is left of the message: nobody finds it, claims it, or settles it. */
  void expectGone() {
    assertThat(snapshot()).isNull();
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
    expectLeaseLost();
  }

  /** The new message is there, due already, as if the old one had never been. */
  void expectNewReady() {
    partition.expectCounts(0, 1, 0, 0);
    expectLeaseLost();
    Held claimed = session.holdOne();
    assertThat(claimed.payload()).isEqualTo(Standing.NEW);
    assertThat(claimed.attempt()).isEqualTo(1);
    assertThat(claimed.history()).isEmpty();
    assertThat(claimed.token()).isGreaterThan(held.token());
    expectLeaseLost();
    assertThat(session.ack(claimed)).isEqualTo(SettleOutcome.DONE);
    expectGone();
  }

  /** The new message is there and waits, as if the old one had never been. */
  void expectNewScheduled(DueTime due) {
    partition.expectCounts(1, 0, 0, 0);
    expectLeaseLost();
    assertThat(session.claimIds()).isEmpty();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(Standing.ID);
      assertThat(entry.state()).isEqualTo(State.SCHEDULED);
      assertThat(entry.dueMillis()).isEqualTo(due.millis());
      assertThat(entry.attempts()).isZero();
      assertThat(entry.history()).isEmpty();
      assertThat(TestPartition.payload(entry)).isEqualTo(Standing.NEW);
    }
  }

  /** The old message can be claimed now, with these attempts and this history. */
  void expectOldReady(int attempt, String history) {
    partition.expectCounts(0, 1, 0, 0);
    expectLeaseLost();
    Held claimed = session.holdOne();
    assertThat(claimed.payload()).isEqualTo(Standing.OLD);
    assertThat(claimed.attempt()).isEqualTo(attempt);
    assertThat(claimed.history()).isEqualTo(history);
    assertThat(claimed.token()).isGreaterThan(held.token());
  }

  /** The last lease's token is good for nothing. */
  void expectLeaseLost() {
    PartitionSettlements.all(held, partition.past())
        .forEach(
            settlement ->
                assertThat(session.settle(settlement))
                    .as("%s", settlement)
                    .isEqualTo(SettleOutcome.LEASE_LOST));
  }
}
