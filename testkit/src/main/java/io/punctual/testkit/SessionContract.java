package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.Settled;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Numbered calls: carried out once and in order, answered as often as they are made. */
interface SessionContract {
  @Test
  default void apply_sentTwice_answeredAgainWithoutEffect(TestLane lane, TestSession session) {
    Call.Apply body = scheduling(lane, "a");
    Reply first = session.send(body);
    assertThat(session.sendLastAgain(body)).isEqualTo(first);
    Held held = session.holdOne();
    session.ack(held);
    lane.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void session_usedByTwoClientsOfOneImage_neitherGetsTheOthersAnswer(TestLane lane) {
    TestSession image = lane.newSession();
    for (int number = 1; number <= 40; number++) {
      assertThat(image.sendFirst(number, scheduling(lane, "one " + number)))
          .isInstanceOf(Reply.Applied.class);
    }
    for (int number : new int[] {1, 20, 40}) {
      assertThat(image.sendFirst(number, scheduling(lane, "two " + number)))
          .isEqualTo(new Reply.NoSession());
      assertThat(image.sendFirst(number, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());
    }
    assertThat(image.sendFirst(41, scheduling(lane, "one 41"))).isInstanceOf(Reply.Applied.class);
    lane.expectCounts(0, 41, 0, 0);
  }

  @Test
  default void apply_sentTwiceAndUndoneBetween_notCarriedOutAgain(
      TestLane lane, TestSession session) {
    lane.needs(Capability.CANCEL);
    Call.Apply body = scheduling(lane, "a");
    Reply first = session.send(body);
    lane.newSession().cancel("a");
    assertThat(session.sendLastAgain(body)).isEqualTo(first);
    lane.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void apply_everyOutcomeSentTwice_answeredAlike(TestLane lane, TestSession session) {
    lane.needs(Capability.CANCEL, Capability.RESCHEDULE, Capability.DEAD_LETTERS);
    session.schedule("dead", lane.past());
    session.bury(session.holdOne(), "enough");
    session.schedule("leased", lane.past());
    Held held = session.holdOne();
    Call.Apply body =
        new Call.Apply(
            List.of(
                TestSession.scheduling("new", lane.far(), IfPresent.KEEP, "1"),
                TestSession.scheduling("new", lane.past(), IfPresent.REPLACE, "2"),
                TestSession.scheduling("new", lane.past(), IfPresent.REJECT, "3"),
                TestSession.scheduling("dead", lane.past(), IfPresent.KEEP, "4"),
                new Operation.Reschedule("new", lane.far()),
                new Operation.RunNow("new"),
                new Operation.RunNow("leased"),
                new Operation.Cancel("new"),
                new Operation.Cancel("new"),
                new Operation.Redrive("dead"),
                new Operation.DeleteDead("dead"),
                new Operation.Extend("leased", held.token(), 1000),
                new Operation.Cancel("leased"),
                new Operation.Release("leased", held.token()),
                new Operation.Ack("leased", held.token())),
            null);
    Reply first = session.send(body);
    assertThat(session.sendLastAgain(body)).isEqualTo(first);
    assertThat(session.sendLastAgain(body)).isEqualTo(first);
  }

  @Test
  default void applyOfNothing_usesItsNumber(TestSession session) {
    Call.Apply nothing = new Call.Apply(List.of(), null);
    assertThat(session.send(1, 1, nothing)).isInstanceOf(Reply.Applied.class);
    assertThat(session.send(3, 1, nothing)).isInstanceOf(Reply.Gap.class);
  }

  @Test
  default void calls_inFlightTogether_eachAnsweredAgain(TestLane lane) {
    TestSession session = new TestSession(lane.lane(), TestSession.newId());
    Stages.await(lane.lane().openSession(session.id(), null));
    for (int number = 1; number <= 20; number++) {
      session.send(number, 1, scheduling(lane, "m" + number));
    }
    for (int number = 1; number <= 20; number++) {
      assertThat(session.send(number, 1, scheduling(lane, "m" + number)))
          .isInstanceOfSatisfying(
              Reply.Applied.class,
              applied ->
                  assertThat(applied.outcomes())
                      .containsExactly(
                          new Outcome.OfSchedule(
                              ScheduleOutcome.STORED, lane.past().millis(), null)));
    }
    lane.expectCounts(0, 20, 0, 0);
  }

  @Test
  default void call_belowTheLowestUnanswered_forgotten(TestLane lane) {
    TestSession session = TestSession.open(lane.lane());
    session.send(1, 1, scheduling(lane, "a"));
    session.send(2, 1, scheduling(lane, "b"));
    session.send(3, 3, scheduling(lane, "c"));
    assertThat(session.send(1, 1, scheduling(lane, "d"))).isEqualTo(new Reply.Forgotten());
    assertThat(session.send(2, 2, scheduling(lane, "d"))).isEqualTo(new Reply.Forgotten());
    assertThat(session.send(3, 3, scheduling(lane, "d"))).isInstanceOf(Reply.Applied.class);
    lane.expectCounts(0, 3, 0, 0);
  }

  @Test
  default void call_partlyAnswered_keepsTheRest(TestLane lane) {
    TestSession session = TestSession.open(lane.lane());
    for (int number = 1; number <= 5; number++) {
      session.send(number, number == 5 ? 3 : 1, scheduling(lane, "m" + number));
    }
    assertThat(session.send(2, 2, scheduling(lane, "m2"))).isEqualTo(new Reply.Forgotten());
    for (int number = 3; number <= 5; number++) {
      assertThat(session.send(number, 3, scheduling(lane, "m" + number)))
          .isInstanceOf(Reply.Applied.class);
    }
  }

  @Test
  default void call_numberSkipped_gapWithoutEffect(TestLane lane, TestSession session) {
    long expected = session.last() + 1;
    assertThat(session.send(expected + 1, 1, scheduling(lane, "a")))
        .isEqualTo(new Reply.Gap(expected));
    assertThat(session.send(expected + 7, 1, new Call.Claim(1, 1000)))
        .isEqualTo(new Reply.Gap(expected));
    lane.expectCounts(0, 0, 0, 0);
    session.schedule("a", lane.past());
    assertThat(session.send(session.last() + 2, 1, new Call.Claim(1, 1000)))
        .isEqualTo(new Reply.Gap(expected + 1));
    lane.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void call_sessionNeverOpened_noSessionWithoutEffect(TestLane lane) {
    TestSession unknown = new TestSession(lane.lane(), TestSession.newId());
    assertThat(unknown.send(1, 1, scheduling(lane, "a"))).isEqualTo(new Reply.NoSession());
    assertThat(unknown.send(2, 1, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());
    lane.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void call_sessionClosed_noSession(TestLane lane, TestSession session) {
    session.schedule("a", lane.past());
    Held held = session.holdOne();
    session.close();
    assertThat(session.send(new Call.Apply(List.of(), null))).isEqualTo(new Reply.NoSession());
    assertThat(lane.newSession().ack(held)).isEqualTo(Settled.DONE);
  }

  @Test
  default void closeSession_unknown_doesNothing(TestLane lane, TestSession session) {
    Stages.await(lane.lane().closeSession(TestSession.newId()));
    session.schedule("a", lane.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void openSession_twice_changesNothing(TestLane lane, TestSession session) {
    Call.Apply body = scheduling(lane, "a");
    Reply first = session.send(body);
    Stages.await(lane.lane().openSession(session.id(), null));
    assertThat(session.sendLastAgain(body)).isEqualTo(first);
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void openSession_replacesAnother_endsThatOneAndBeginsAtOne(
      TestLane lane, TestSession session) {
    session.schedule("a", lane.past());
    Held held = session.holdOne();
    TestSession next = new TestSession(lane.lane(), TestSession.newId());
    Stages.await(lane.lane().openSession(next.id(), session.id()));
    Stages.await(lane.lane().openSession(next.id(), session.id()));
    assertThat(session.send(new Call.Apply(List.of(), null))).isEqualTo(new Reply.NoSession());
    assertThat(next.ack(held)).isEqualTo(Settled.DONE);
    assertThat(next.last()).isEqualTo(1);
  }

  @Test
  default void openSession_replacesOneThatIsUnknown_opens(TestLane lane) {
    TestSession session = new TestSession(lane.lane(), TestSession.newId());
    Stages.await(lane.lane().openSession(session.id(), TestSession.newId()));
    session.schedule("a", lane.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void sessions_interleaved_countEachForItself(TestLane lane) {
    TestSession one = lane.newSession();
    TestSession other = lane.newSession();
    Call.Apply ofOne = scheduling(lane, "one");
    Call.Apply ofOther = scheduling(lane, "other");
    Reply toOne = one.send(ofOne);
    one.nowMicros();
    Reply toOther = other.send(ofOther);
    other.nowMicros();
    other.nowMicros();
    assertThat(one.send(1, 1, ofOne)).isInstanceOf(Reply.Forgotten.class);
    assertThat(one.send(4, 1, ofOne)).isEqualTo(new Reply.Gap(3));
    assertThat(other.send(5, 1, ofOther)).isEqualTo(new Reply.Gap(4));
    assertThat(toOne).isInstanceOf(Reply.Applied.class);
    assertThat(toOther).isInstanceOf(Reply.Applied.class);
    lane.expectCounts(0, 2, 0, 0);
  }

  @Test
  default void call_refused_leavesItsNumberToTheNext(TestLane lane, TestSession session) {
    long last = session.last();
    Operation tooFar = new Operation.Cancel("a");
    List<Operation> tooMany = Collections.nCopies(Lane.MAX_OPERATIONS + 1, tooFar);
    assertThatThrownBy(() -> session.send(new Call.Apply(tooMany, null)))
        .isInstanceOf(Lane.LaneException.class);
    assertThat(session.send(last + 2, last + 1, new Call.Apply(List.of(), null)))
        .isEqualTo(new Reply.Gap(last + 1));
  }

  private static Call.Apply scheduling(TestLane lane, String id) {
    return new Call.Apply(
        List.of(TestSession.scheduling(id, lane.past(), IfPresent.KEEP, id)), null);
  }
}
