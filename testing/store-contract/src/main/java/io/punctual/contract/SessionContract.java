package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests numbered calls: each call is applied once and in order. A repeated call with operations
 * gets the same reply, until the client allows the partition to forget the reply.
 */
interface SessionContract {
  /**
   * Compares replies without their confirmations: a durable store confirms each reply separately.
   */
  private static void expectSameAnswer(Reply first, Reply again) {
    assertThat(withoutConfirmation(again)).isEqualTo(withoutConfirmation(first));
  }

  private static Reply withoutConfirmation(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Applied.class);
    Reply.Applied applied = (Reply.Applied) reply;
    return new Reply.Applied(applied.outcomes(), applied.engineMicros(), null);
  }

  @Test
  default void apply_sentTwice_answeredAgainWithoutEffect(
      TestPartition partition, TestSession session) {
    Call.Apply body = scheduling(partition, "a");
    Reply first = session.send(body);
    expectSameAnswer(first, session.sendLastAgain(body));
    ClaimedMessage held = session.claimOne();
    session.ack(held);
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void session_usedByTwoClientsOfOneImage_repliesAreNotMixedUp(TestPartition partition) {
    TestSession image = partition.newSession();
    for (int number = 1; number <= 40; number++) {
      assertThat(image.sendFirst(number, scheduling(partition, "one " + number)))
          .isInstanceOf(Reply.Applied.class);
    }
    for (int number : new int[] {1, 20, 40}) {
      assertThat(image.sendFirst(number, scheduling(partition, "two " + number)))
          .isEqualTo(new Reply.NoSession());
      assertThat(image.sendFirst(number, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());
    }
    assertThat(image.sendFirst(41, scheduling(partition, "one 41")))
        .isInstanceOf(Reply.Applied.class);
    partition.expectCounts(0, 41, 0, 0);
  }

  @Test
  default void apply_sentTwiceAndUndoneBetween_notCarriedOutAgain(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    Call.Apply body = scheduling(partition, "a");
    Reply first = session.send(body);
    partition.newSession().cancel("a");
    expectSameAnswer(first, session.sendLastAgain(body));
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void apply_everyOutcomeSentTwice_answeredAlike(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL, Capability.RESCHEDULE, Capability.DEAD_LETTERS);
    session.schedule("dead", partition.past());
    session.bury(session.claimOne(), "enough");
    session.schedule("leased", partition.past());
    ClaimedMessage held = session.claimOne();
    Call.Apply body =
        new Call.Apply(
            List.of(
                TestSession.scheduling("new", partition.far(), IfPresent.KEEP, "1"),
                TestSession.scheduling("new", partition.past(), IfPresent.REPLACE, "2"),
                TestSession.scheduling("new", partition.past(), IfPresent.REJECT, "3"),
                TestSession.scheduling("leased", partition.past(), IfPresent.KEEP, "4"),
                TestSession.scheduling("dead", partition.past(), IfPresent.REJECT, "5"),
                new Operation.Reschedule("new", partition.far()),
                new Operation.RunNow("new"),
                new Operation.RunNow("leased"),
                new Operation.Cancel("new"),
                new Operation.Cancel("new"),
                new Operation.Redrive("dead"),
                new Operation.DeleteDead("dead"),
                new Operation.Extend("leased", held.token(), 1000),
                new Operation.Cancel("leased"),
                new Operation.Release("leased", held.token(), null),
                new Operation.Ack("leased", held.token())),
            null);
    Reply first = session.send(body);
    expectSameAnswer(first, session.sendLastAgain(body));
    expectSameAnswer(first, session.sendLastAgain(body));
  }

  @Test
  default void applyOfNothing_usesItsNumber(TestSession session) {
    Call.Apply nothing = new Call.Apply(List.of(), null);
    assertThat(session.send(1, 1, nothing)).isInstanceOf(Reply.Applied.class);
    assertThat(session.send(3, 1, nothing)).isInstanceOf(Reply.Gap.class);
  }

  @Test
  default void calls_inFlightTogether_eachAnsweredAgain(TestPartition partition) {
    TestSession session = partition.newSession();
    for (int number = 1; number <= 20; number++) {
      session.send(number, 1, scheduling(partition, "m" + number));
    }
    for (int number = 1; number <= 20; number++) {
      assertThat(session.send(number, 1, scheduling(partition, "m" + number)))
          .isInstanceOfSatisfying(
              Reply.Applied.class,
              applied ->
                  assertThat(applied.outcomes())
                      .containsExactly(
                          new Outcome.OfSchedule(
                              ScheduleOutcome.STORED, partition.past().millis(), null)));
    }
    partition.expectCounts(0, 20, 0, 0);
  }

  @Test
  default void call_belowTheLowestUnanswered_forgotten(TestPartition partition) {
    TestSession session = partition.newSession();
    session.send(1, 1, scheduling(partition, "a"));
    session.send(2, 1, scheduling(partition, "b"));
    session.send(3, 3, scheduling(partition, "c"));
    assertThat(session.send(1, 1, scheduling(partition, "d"))).isEqualTo(new Reply.Forgotten());
    assertThat(session.send(2, 2, scheduling(partition, "d"))).isEqualTo(new Reply.Forgotten());
    assertThat(session.send(3, 3, scheduling(partition, "d"))).isInstanceOf(Reply.Applied.class);
    partition.expectCounts(0, 3, 0, 0);
  }

  @Test
  default void call_partlyAnswered_keepsTheRest(TestPartition partition) {
    TestSession session = partition.newSession();
    for (int number = 1; number <= 5; number++) {
      session.send(number, number == 5 ? 3 : 1, scheduling(partition, "m" + number));
    }
    assertThat(session.send(2, 2, scheduling(partition, "m2"))).isEqualTo(new Reply.Forgotten());
    for (int number = 3; number <= 5; number++) {
      assertThat(session.send(number, 3, scheduling(partition, "m" + number)))
          .isInstanceOf(Reply.Applied.class);
    }
  }

  @Test
  default void call_numberSkipped_gapWithoutEffect(TestPartition partition, TestSession session) {
    long expected = session.last() + 1;
    assertThat(session.send(expected + 1, 1, scheduling(partition, "a")))
        .isEqualTo(new Reply.Gap(expected));
    assertThat(session.send(expected + 7, 1, new Call.Claim(1, 1000)))
        .isEqualTo(new Reply.Gap(expected));
    partition.expectCounts(0, 0, 0, 0);
    session.schedule("a", partition.past());
    assertThat(session.send(session.last() + 2, 1, new Call.Claim(1, 1000)))
        .isEqualTo(new Reply.Gap(expected + 1));
    partition.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void call_sessionNeverOpened_noSessionWithoutEffect(TestPartition partition) {
    TestSession unknown = partition.unopenedSession(partition.partition());
    assertThat(unknown.send(1, 1, scheduling(partition, "a"))).isEqualTo(new Reply.NoSession());
    assertThat(unknown.send(2, 1, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void call_sessionClosed_noSession(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    session.close();
    assertThat(session.send(new Call.Apply(List.of(), null))).isEqualTo(new Reply.NoSession());
    assertThat(partition.newSession().ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void closeSession_unknown_doesNothing(TestPartition partition, TestSession session) {
    StoreResults.await(partition.partition().closeSession(TestSession.newId()));
    session.schedule("a", partition.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void openSession_twice_changesNothing(TestPartition partition, TestSession session) {
    Call.Apply body = scheduling(partition, "a");
    Reply first = session.send(body);
    StoreResults.await(partition.partition().openSession(session.id(), null));
    expectSameAnswer(first, session.sendLastAgain(body));
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void openSession_replacesASession_endsItAndNumbersFromOne(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    TestSession next = partition.unopenedSession(partition.partition());
    StoreResults.await(partition.partition().openSession(next.id(), session.id()));
    StoreResults.await(partition.partition().openSession(next.id(), session.id()));
    assertThat(session.send(new Call.Apply(List.of(), null))).isEqualTo(new Reply.NoSession());
    assertThat(next.ack(held)).isEqualTo(SettleOutcome.DONE);
    assertThat(next.last()).isEqualTo(1);
  }

  @Test
  default void openSession_replacesAnUnknownSession_opens(TestPartition partition) {
    TestSession session = partition.unopenedSession(partition.partition());
    StoreResults.await(partition.partition().openSession(session.id(), TestSession.newId()));
    session.schedule("a", partition.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void sessions_interleaved_countEachForItself(TestPartition partition) {
    TestSession one = partition.newSession();
    TestSession other = partition.newSession();
    Call.Apply ofOne = scheduling(partition, "one");
    Call.Apply ofOther = scheduling(partition, "other");
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
    partition.expectCounts(0, 2, 0, 0);
  }

  @Test
  default void call_refused_leavesItsNumberToTheNext(TestPartition partition, TestSession session) {
    long last = session.last();
    Operation tooFar = new Operation.Cancel("a");
    List<Operation> tooMany = Collections.nCopies(Partition.MAX_OPERATIONS + 1, tooFar);
    assertThatThrownBy(() -> session.send(new Call.Apply(tooMany, null)))
        .isInstanceOf(Partition.PartitionException.class);
    assertThat(session.send(last + 2, last + 1, new Call.Apply(List.of(), null)))
        .isEqualTo(new Reply.Gap(last + 1));
  }

  private static Call.Apply scheduling(TestPartition partition, String id) {
    return new Call.Apply(
        List.of(TestSession.scheduling(id, partition.past(), IfPresent.KEEP, id)), null);
  }
}
