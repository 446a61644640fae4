package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A claim for at-most-once delivery leases messages and cancels them in the same step. */
interface ClaimAtMostOnceContract {
  /** A claim for at-most-once delivery, with a lease that does not expire within a test. */
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
    partition.expectCounts(1, 0, 3, 0);
  }

  @Test
  default void claimAtMostOnce_leaseRanOut_isNeverDeliveredAgain(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    assertThat(ids(session.claim(new Call.Claim(10, 1, true)))).containsExactly("a");
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).isEmpty();
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void claimAtMostOnce_acked_isGone(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage taken = takeOne(session);
    assertThat(session.ack(taken)).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.ack(taken)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @Test
  default void claimAtMostOnce_settledOtherwise_isDiscarded(
      TestPartition partition, TestSession session) {
    int kinds = 1;
    for (int i = 0; i < kinds; i++) {
      session.schedule("a", partition.past());
      ClaimedMessage taken = takeOne(session);
      List<Operation.Settlement> all = PartitionSettlements.all(taken, partition.past());
      kinds = all.size();
      Operation.Settlement settlement = all.get(i);
      SettleOutcome expected = SettleOutcome.DISCARDED;
      if (settlement instanceof Operation.Ack) {
        expected = SettleOutcome.DONE;
      } else if (settlement instanceof Operation.Extend) {
        expected = SettleOutcome.CANCELLED;
      }
      assertThat(session.settle(settlement)).as("%s", settlement).isEqualTo(expected);
      session.ack(taken);
      partition.expectCounts(0, 0, 0, 0);
    }
  }

  @Test
  default void claimAtMostOnce_scheduledAgain_isANewMessage(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage taken = takeOne(session);
    assertThat(session.schedule("a", partition.past(), IfPresent.KEEP, "new").outcome())
        .isEqualTo(ScheduleOutcome.REPLACED);
    assertThat(session.ack(taken)).isEqualTo(SettleOutcome.LEASE_LOST);
    ClaimedMessage again = session.claimOne();
    assertThat(again.payload()).isEqualTo("new");
    assertThat(again.attempt()).isEqualTo(1);
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
    partition.expectCounts(0, 1, 2, 0);
  }

  @Test
  default void claimAtMostOnce_sentAgainLater_omitsAckedReplacedAndExpiredMessages(
      TestPartition partition, TestSession session) {
    TestSession other = partition.newSession();
    for (int i = 0; i < 4; i++) {
      session.schedule("m" + i, partition.past(i));
    }
    Reply.Claimed first = session.claim(TAKE);
    List<ClaimedMessage> taken =
        first.messages().stream()
            .map(message -> ClaimedMessage.of(message, first, 3_600_000))
            .toList();
    other.ack(taken.get(0));
    other.schedule("m1", partition.far(), IfPresent.REPLACE, "new");
    other.extend(taken.get(2), Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(ids((Reply.Claimed) session.sendLastAgain(TAKE))).containsExactly("m3");
  }

  @Test
  default void claimAtMostOnce_found_isLeasedAndCancelled(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    session.claim(TAKE);
    Entry entry = partition.entry("a");
    assertThat(entry.state()).isEqualTo(State.LEASED);
    assertThat(entry.cancelled()).isTrue();
    assertThat(entry.attempts()).isEqualTo(1);
    assertThat(TestPartition.payload(entry)).isEqualTo("a");
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
