package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests leases: their ends and extensions, the message afterwards, and the fencing tokens. */
interface LeaseContract {
  @Test
  default void lease_ranOut_deliversAgainWithTheNextAttempt(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage first = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage second = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage third = session.claimOne();
    assertThat(List.of(first.attempt(), second.attempt(), third.attempt()))
        .containsExactly(1, 2, 3);
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(third.token()).isGreaterThan(second.token());
    assertThat(third.payload()).isEqualTo("a");
    assertThat(third.message().dueMillis()).isEqualTo(partition.past().millis());
  }

  @Test
  default void lease_ranOut_keepsHistory(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.retry(session.claimOne(), partition.past(), "once");
    assertThat(session.claimOne(Duration.ofMillis(1)).history()).isEqualTo("once");
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage again = session.claimOne();
    assertThat(again.history()).isEqualTo("once");
    assertThat(again.attempt()).isEqualTo(3);
  }

  @Test
  default void lease_notRunOut_neverClaimedAgain(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(40));
    for (int i = 0; i < 10; i++) {
      partition.advance(Duration.ofMillis(3));
      Reply.Claimed claimed = partition.newSession().claim(10, TestSession.LONG);
      boolean ranOut = claimed.engineMicros() / 1000 >= held.leasedUntilMillis();
      assertThat(claimed.messages()).hasSize(ranOut ? 1 : 0);
      if (ranOut) {
        return;
      }
    }
  }

  @Test
  default void lease_waitedAMicrosecondLess_notClaimedAgain(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(10));
    long micros = session.claim(0, TestSession.LONG).untilNextMicros();
    partition.advance(Duration.ofNanos(Math.max(0, micros - 1) * 1000));
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    boolean ranOut = claimed.engineMicros() / 1000 >= held.leasedUntilMillis();
    assertThat(claimed.messages()).hasSize(ranOut ? 1 : 0);
  }

  @Test
  default void extend_beforeItRanOut_holdsLonger(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(50));
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    partition.advance(Duration.ofMillis(60));
    assertThat(session.claimIds()).isEmpty();
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void extend_unclaimedSinceItRanOut_holdsAgain(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    assertThat(session.claimIds()).isEmpty();
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void extend_claimedSinceItRanOut_refused(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage again = partition.newSession().claimOne(Duration.ofMillis(1));
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.LEASE_LOST);
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).containsExactly("a");
    assertThat(again.token()).isGreaterThan(held.token());
  }

  @Test
  default void extend_shorter_countsFromNow(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    assertThat(session.extend(held, Duration.ofMillis(1))).isEqualTo(SettleOutcome.DONE);
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage again = session.claimOne();
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @Test
  default void extend_many_eachAnsweredInOneCall(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage lost = session.claimOne();
    session.release(lost);
    ClaimedMessage held = session.claimOne();
    assertThat(session.extend(lost, TestSession.LONG)).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void release_claimed_sameDueTimeAndAttempt(TestPartition partition, TestSession session) {
    session.schedule("b", partition.past(2));
    session.schedule("a", partition.past(1));
    ClaimedMessage first = session.hold(1, TestSession.LONG).get(0);
    assertThat(session.release(first)).isEqualTo(SettleOutcome.DONE);
    List<ClaimedMessage> again = session.hold(10, TestSession.LONG);
    assertThat(again).extracting(ClaimedMessage::id).containsExactly("a", "b");
    assertThat(again.get(0).attempt()).isEqualTo(1);
    assertThat(again.get(0).message().dueMillis()).isEqualTo(partition.past(1).millis());
  }

  @Test
  default void release_withADueTime_keepsAttemptsAndHistoryAndHasTheNewDueTime(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.retry(session.claimOne(), partition.past(), "once");
    assertThat(session.defer(session.claimOne(), partition.past(7))).isEqualTo(SettleOutcome.DONE);
    ClaimedMessage again = session.claimOne();
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.history()).isEqualTo("once");
    assertThat(again.message().dueMillis()).isEqualTo(partition.past(7).millis());
    session.release(again);
    assertThat(session.claimOne().message().dueMillis()).isEqualTo(partition.past(7).millis());
  }

  @Test
  default void release_withADelay_countsFromTheEnginesClock(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    long before = session.nowMicros();
    assertThat(session.defer(held, new DueTime(true, 60))).isEqualTo(SettleOutcome.DONE);
    assertThat(session.claimIds()).isEmpty();
    partition.advance(Duration.ofMillis(62));
    ClaimedMessage again = session.claimOne();
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.history()).isEmpty();
    assertThat(again.message().dueMillis())
        .isGreaterThanOrEqualTo(new DueTime(true, 60).atMillis(before));
  }

  @Test
  default void release_afterExpiries_takesBackOnlyTheLastAttempt(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage second = session.claimOne();
    assertThat(second.attempt()).isEqualTo(2);
    session.release(second);
    assertThat(session.claimOne().attempt()).isEqualTo(2);
  }

  @Test
  default void retry_later_waitsForItsTime(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    long before = session.nowMicros();
    assertThat(session.retry(session.claimOne(), new DueTime(true, 60), "why"))
        .isEqualTo(SettleOutcome.DONE);
    Reply.Claimed asked = session.claim(0, TestSession.LONG);
    assertThat(asked.engineMicros() + asked.untilNextMicros())
        .isGreaterThanOrEqualTo(1000 * new DueTime(true, 60).atMillis(before));
    partition.advance(Duration.ofNanos(asked.untilNextMicros() * 1000));
    ClaimedMessage again = session.claimOne();
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.history()).isEqualTo("why");
    assertThat(again.message().dueMillis())
        .isGreaterThanOrEqualTo(new DueTime(true, 60).atMillis(before));
  }

  @Test
  default void retry_again_replacesTheHistory(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.retry(session.claimOne(), partition.past(), "one failure");
    session.retry(session.claimOne(), partition.past(), "two");
    ClaimedMessage third = session.claimOne();
    assertThat(third.history()).isEqualTo("two");
    assertThat(third.attempt()).isEqualTo(3);
    session.retry(third, partition.past(), "");
    assertThat(session.claimOne().history()).isEmpty();
  }

  @Test
  default void cancel_leasedThenRanOut_discardedInsteadOfDelivered(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(1));
    assertThat(session.cancel("a")).isEqualTo(CancelOutcome.RUNNING);
    partition.advance(Duration.ofMillis(3));
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.untilNextMicros()).isEqualTo(Reply.NONE);
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @Test
  default void cancel_leasedThenExtended_staysMarked(TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    session.cancel("a");
    assertThat(session.extend(held, Duration.ofMillis(1))).isEqualTo(SettleOutcome.CANCELLED);
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).isEmpty();
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void cancel_leasedThenReplaced_newMessageIsNotMarked(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    session.schedule("a", partition.past());
    session.claimOne();
    session.cancel("a");
    session.schedule("a", partition.past(1));
    session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimOne().attempt()).isEqualTo(2);
  }

  @Test
  default void token_eachClaim_greaterThanAllBefore(TestPartition partition) {
    List<TestSession> sessions =
        List.of(partition.newSession(), partition.newSession(), partition.newSession());
    List<Long> tokens = new ArrayList<>();
    for (int round = 0; round < 30; round++) {
      TestSession session = sessions.get(round % 3);
      session.schedule("m" + round, partition.past(round));
      tokens.add(session.hold(1, TestSession.LONG).get(0).token());
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void token_firstClaim_notBelowTheEnginesClock(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    assertThat(held.token()).isGreaterThanOrEqualTo(held.engineMicros());
  }
}
