package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Settled;
import io.punctual.spi.DueTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who held a message before can't settle it for whoever holds it now. */
interface FencingContract {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RAN_OUT")
  default void settle_notClaimedAgainYet_refusesTheOldToken(Handover handover, TestLane lane) {
    TestSession session = lane.session();
    session.schedule("a", lane.past());
    Held old = session.holdOne();
    handover.pass(lane, old);
    expectRefused(lane, old);
    lane.expectCounts(0, 1, 0, 0);
    assertThat(session.holdOne().history()).isEqualTo(handover == Handover.RETRIED ? "failed" : "");
  }

  @ParameterizedTest
  @EnumSource
  default void settle_claimedByAnother_refusesTheOldTokenAndTakesTheNew(
      Handover handover, TestLane lane) {
    TestSession other = lane.newSession();
    lane.session().schedule("a", lane.past());
    Held old = lane.session().holdOne();
    handover.pass(lane, old);
    Held current = other.holdOne();
    assertThat(current.token()).isGreaterThan(old.token());
    expectRefused(lane, old);
    lane.expectCounts(0, 0, 1, 0);
    assertThat(other.ack(current)).isEqualTo(Settled.DONE);
    expectRefused(lane, old);
    expectRefused(lane, current);
    lane.expectCounts(0, 0, 0, 0);
  }

  @ParameterizedTest
  @EnumSource
  default void settle_claimedByAnother_answersByTokenNotBySession(
      Handover handover, TestLane lane) {
    lane.session().schedule("a", lane.past());
    handover.pass(lane, lane.session().holdOne());
    Held current = lane.newSession().holdOne();
    DueTime again = lane.past(3);
    assertThat(lane.newSession().retry(current, again, "by a third")).isEqualTo(Settled.DONE);
    Held last = lane.session().holdOne();
    assertThat(last.history()).isEqualTo("by a third");
    assertThat(last.message().dueMillis()).isEqualTo(again.millis());
  }

  private static void expectRefused(TestLane lane, Held old) {
    LaneSettlements.all(old, lane.far())
        .forEach(
            settlement ->
                assertThat(lane.session().settle(settlement))
                    .as("%s", settlement)
                    .isEqualTo(Settled.LEASE_LOST));
  }
}
