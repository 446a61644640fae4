package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.spi.DueTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who held a message before can't settle it for whoever holds it now. */
interface FencingContract {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RAN_OUT")
  default void settle_notClaimedAgainYet_refusesTheOldToken(
      Handover handover, TestPartition partition) {
    TestSession session = partition.session();
    session.schedule("a", partition.past());
    Held old = session.holdOne();
    handover.pass(partition, old);
    expectRefused(partition, old);
    partition.expectCounts(0, 1, 0, 0);
    assertThat(session.holdOne().history()).isEqualTo(handover == Handover.RETRIED ? "failed" : "");
  }

  @ParameterizedTest
  @EnumSource
  default void settle_claimedByAnother_refusesTheOldTokenAndTakesTheNew(
      Handover handover, TestPartition partition) {
    TestSession other = partition.newSession();
    partition.session().schedule("a", partition.past());
    Held old = partition.session().holdOne();
    handover.pass(partition, old);
    Held current = other.holdOne();
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
      Handover handover, TestPartition partition) {
    partition.session().schedule("a", partition.past());
    handover.pass(partition, partition.session().holdOne());
    Held current = partition.newSession().holdOne();
    DueTime again = partition.past(3);
    assertThat(partition.newSession().retry(current, again, "by a third"))
        .isEqualTo(SettleOutcome.DONE);
    Held last = partition.session().holdOne();
    assertThat(last.history()).isEqualTo("by a third");
    assertThat(last.message().dueMillis()).isEqualTo(again.millis());
  }

  private static void expectRefused(TestPartition partition, Held old) {
    PartitionSettlements.all(old, partition.far())
        .forEach(
            settlement ->
                assertThat(partition.session().settle(settlement))
                    .as("%s", settlement)
                    .isEqualTo(SettleOutcome.LEASE_LOST));
  }
}
