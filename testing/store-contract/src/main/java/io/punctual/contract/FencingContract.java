package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.spi.DueTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A holder cannot settle a message after a settlement, a new schedule or a purge has ended its
 * lease, or after another session has claimed the message.
 */
interface FencingContract {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RAN_OUT")
  default void settle_notClaimedAgainYet_refusesTheOldToken(
      LeaseEnding handover, TestPartition partition) {
    TestSession session = partition.session();
    session.schedule("a", partition.past());
    ClaimedMessage old = session.claimOne();
    handover.end(partition, old);
    expectRefused(partition, old);
    partition.expectCounts(0, 1, 0, 0);
    assertThat(session.claimOne().history())
        .isEqualTo(handover == LeaseEnding.RETRIED ? "failed" : "");
  }

  @ParameterizedTest
  @EnumSource
  default void settle_claimedByAnother_refusesTheOldTokenAndTakesTheNew(
      LeaseEnding handover, TestPartition partition) {
    TestSession other = partition.newSession();
    partition.session().schedule("a", partition.past());
    ClaimedMessage old = partition.session().claimOne();
    handover.end(partition, old);
    ClaimedMessage current = other.claimOne();
    assertThat(current.token()).isGreaterThan(old.token());
    expectRefused(partition, old);
    partition.expectCounts(0, 0, 1, 0);
    assertThat(other.ack(current)).isEqualTo(SettleOutcome.DONE);
    expectRefused(partition, old);
    expectRefused(partition, current);
    partition.expectCounts(0, 0, 0, 0);
  }

  @ParameterizedTest
  @EnumSource
  default void settle_claimedByAnother_answersByTokenNotBySession(
      LeaseEnding handover, TestPartition partition) {
    partition.session().schedule("a", partition.past());
    handover.end(partition, partition.session().claimOne());
    ClaimedMessage current = partition.newSession().claimOne();
    DueTime again = partition.past(3);
    assertThat(partition.newSession().retry(current, again, "by a third"))
        .isEqualTo(SettleOutcome.DONE);
    ClaimedMessage last = partition.session().claimOne();
    assertThat(last.history()).isEqualTo("by a third");
    assertThat(last.message().dueMillis()).isEqualTo(again.millis());
  }

  private static void expectRefused(TestPartition partition, ClaimedMessage old) {
    PartitionSettlements.all(old, partition.far())
        .forEach(
            settlement ->
                assertThat(partition.session().settle(settlement))
                    .as("%s", settlement)
                    .isEqualTo(SettleOutcome.LEASE_LOST));
  }
}
