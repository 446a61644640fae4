package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A claim for at-most-once delivery removes its messages in the same step. */
interface ClaimAtMostOnceContract {
  Call.Claim TAKE = new Call.Claim(10, 3_600_000, true);

  @Test
  default void claimAtMostOnce_someDue_returnsThemInOrderOfDueTime(
      TestPartition partition, TestSession session) {
    session.schedule("later", partition.far());
    session.schedule("b", partition.past(2));
    session.schedule("a", partition.past(1));
    session.schedule("c", partition.past(3));
    Reply.Claimed taken = session.claim(new Call.Claim(2, 3_600_000, true));
    assertThat(taken.messages()).extracting(Reply.Leased::id).containsExactly("a", "b");
    assertThat(taken.messages())
        .extracting(message -> new String(message.content().payload(), UTF_8))
        .containsExactly("a", "b");
    assertThat(ids(session.claim(TAKE))).containsExactly("c");
    assertThat(ids(session.claim(TAKE))).isEmpty();
    partition.expectCounts(1, 0, 0, 0);
  }

  @Test
  default void claimAtMostOnce_answered_isGoneAndNeverDeliveredAgain(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage taken = takeOne(session);
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
    for (Operation.Settlement each : PartitionSettlements.all(taken, partition.past())) {
      assertThat(session.settle(each)).as("%s", each).isEqualTo(SettleOutcome.LEASE_LOST);
    }
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void claimAtMostOnce_scheduledAgain_isANewMessage(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    takeOne(session);
    assertThat(session.schedule("a", partition.past(), IfPresent.REJECT, "new").outcome())
        .isEqualTo(ScheduleOutcome.STORED);
    ClaimedMessage again = session.claimOne();
    assertThat(again.payload()).isEqualTo("new");
    assertThat(again.attempt()).isEqualTo(1);
  }

  @Test
  default void claimAtMostOnce_restored_hasItsAttemptsAndHistory(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.retry(session.claimOne(), partition.past(), "once");
    Reply.Leased taken = session.claim(TAKE).messages().get(0);
    session.apply(
        new Operation.Restore(
            "a", taken.dueMillis(), taken.attempt() - 1, taken.history(), 0, taken.content()));
    Reply.Leased again = session.claim(TAKE).messages().get(0);
    assertThat(again).usingRecursiveComparison().isEqualTo(taken);
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void claimAtMostOnce_leaseOfAnEarlierClaimRanOut_takesItsMessage(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.retry(session.claimOne(), partition.past(), "once");
    ClaimedMessage lost = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    Reply.Leased taken = partition.newSession().claim(TAKE).messages().get(0);
    assertThat(taken.attempt()).isEqualTo(3);
    assertThat(taken.history()).asString(UTF_8).isEqualTo("once");
    assertThat(session.ack(lost)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @Test
  default void claimAtMostOnce_queuePaused_takesNothing(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    session.schedule("a", partition.past());
    partition.pause(true);
    assertThat(ids(session.claim(TAKE))).isEmpty();
    partition.pause(false);
    assertThat(ids(session.claim(TAKE))).containsExactly("a");
  }

  @Test
  default void claimAtMostOnce_cancelledMessage_isNotTaken(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    session.schedule("a", partition.past());
    session.schedule("b", partition.past(1));
    session.hold(1, Duration.ofMillis(1));
    session.cancel("a");
    partition.advance(Duration.ofMillis(3));
    assertThat(ids(session.claim(TAKE))).containsExactly("b");
  }

  @Test
  default void claimAtMostOnce_sentTwice_returnsTheSameMessages(
      TestPartition partition, TestSession session) {
    for (int i = 0; i < 3; i++) {
      session.schedule("m" + i, partition.past(i));
    }
    Call.Claim two = new Call.Claim(2, 3_600_000, true);
    Reply.Claimed first = session.claim(two);
    for (int i = 0; i < 2; i++) {
      Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(two);
      assertThat(again.messages())
          .usingRecursiveFieldByFieldElementComparator()
          .containsExactlyElementsOf(first.messages());
      assertThat(again.token()).isEqualTo(first.token());
      assertThat(again.untilNextMicros()).isZero();
    }
    partition.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void claimAtMostOnce_sentAgainAfterChangesOfTheIds_returnsTheSameMessages(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.schedule("b", partition.past(1));
    Reply.Claimed first = session.claim(TAKE);
    TestSession other = partition.newSession();
    other.schedule("a", partition.past(), IfPresent.KEEP, "new");
    other.cancel("b");
    Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(TAKE);
    assertThat(again.messages())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyElementsOf(first.messages());
    assertThat(other.claimOne().payload()).isEqualTo("new");
  }

  @Test
  default void claimAtMostOnce_manyMessagesWithAttemptsSentTwice_returnsTheSameMessages(
      TestPartition partition, TestSession session) {
    for (int i = 0; i < 20; i++) {
      session.schedule("m" + i, partition.past(i));
    }
    List<ClaimedMessage> held = session.hold(7, TestSession.LONG);
    session.retry(held.get(2), partition.past(2), "once");
    Reply.Claimed first = session.claim(new Call.Claim(20, 1000, true));
    assertThat(first.messages()).hasSize(14);
    assertThat(first.messages().get(0).history()).asString(UTF_8).isEqualTo("once");
    Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(new Call.Claim(20, 1000, true));
    assertThat(again.messages())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyElementsOf(first.messages());
    partition.expectCounts(0, 0, 6, 0);
  }

  @Test
  default void claimAtMostOnce_limitZero_takesNothing(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    Reply.Claimed none = session.claim(new Call.Claim(0, 1, true));
    assertThat(none.messages()).isEmpty();
    assertThat(none.untilNextMicros()).isZero();
    partition.expectCounts(0, 1, 0, 0);
  }

  private static ClaimedMessage takeOne(TestSession session) {
    Reply.Claimed taken = session.claim(TAKE);
    assertThat(taken.messages()).hasSize(1);
    return ClaimedMessage.of(taken.messages().get(0), taken, TAKE.leaseMillis());
  }

  private static List<String> ids(Reply.Claimed claimed) {
    return claimed.messages().stream().map(Reply.Leased::id).toList();
  }
}
