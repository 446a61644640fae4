package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A repeated claim returns its messages whose leases are still valid, except messages that were
 * cancelled meanwhile, and leases no new messages.
 */
interface RepeatedClaimContract {
  @Test
  default void claim_sentTwice_repeatsTheSameLeases(TestPartition partition, TestSession session) {
    schedule(partition, session, 3);
    Call.Claim body = new Call.Claim(2, 3_600_000);
    Reply.Claimed first = (Reply.Claimed) session.send(body);
    Reply.Claimed again = repeat(session, body);
    assertThat(again.messages())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyElementsOf(first.messages());
    assertThat(again.token()).isEqualTo(first.token());
    assertThat(again.engineMicros()).isGreaterThanOrEqualTo(first.engineMicros());
    assertThat(again.untilNextMicros()).isZero();
    partition.expectCounts(0, 1, 2, 0);
    for (Reply.Leased message : again.messages()) {
      assertThat(session.ack(ClaimedMessage.of(message, again, 0))).isEqualTo(SettleOutcome.DONE);
    }
  }

  @Test
  default void claim_tookNothingAndSentAgain_takesNothing(
      TestPartition partition, TestSession session) {
    Call.Claim body = new Call.Claim(2, 3_600_000);
    session.send(body);
    partition.newSession().schedule("a", partition.past());
    assertThat(repeat(session, body).messages()).isEmpty();
    partition.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void claim_sentAgainAfterSettlements_repeatsOnlyLeasedMessages(
      TestPartition partition, TestSession session) {
    TestSession other = partition.newSession();
    schedule(partition, session, 6);
    Call.Claim body = new Call.Claim(6, 3_600_000);
    Reply.Claimed first = (Reply.Claimed) session.send(body);
    List<ClaimedMessage> held =
        first.messages().stream()
            .map(message -> ClaimedMessage.of(message, first, 3_600_000))
            .toList();
    other.ack(held.get(0));
    other.retry(held.get(1), partition.far(), "why");
    other.bury(held.get(2), "why");
    other.release(held.get(3));
    other.schedule("m4", partition.far(), IfPresent.REPLACE, "new");
    assertThat(repeat(session, body).messages()).extracting(Reply.Leased::id).containsExactly("m5");
  }

  @Test
  default void claim_sentAgainAfterCancel_omitsTheCancelledMessage(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    schedule(partition, session, 2);
    Call.Claim body = new Call.Claim(2, 3_600_000);
    session.send(body);
    partition.newSession().cancel("m0");
    assertThat(repeat(session, body).messages()).extracting(Reply.Leased::id).containsExactly("m1");
    partition.expectCounts(0, 0, 2, 0);
  }

  @Test
  default void claim_sentAgainAfterPurge_takesNothing(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    schedule(partition, session, 2);
    Call.Claim body = new Call.Claim(2, 3_600_000);
    session.send(body);
    partition.purge(State.LEASED);
    assertThat(repeat(session, body).messages()).isEmpty();
  }

  @Test
  default void claim_sentAgainAfterLeasesRanOut_leavesThemOut(
      TestPartition partition, TestSession session) {
    schedule(partition, session, 2);
    Call.Claim body = new Call.Claim(2, 1);
    Reply.Claimed first = (Reply.Claimed) session.send(body);
    partition
        .newSession()
        .extend(ClaimedMessage.of(first.messages().get(1), first, 1), TestSession.LONG);
    partition.advance(Duration.ofMillis(3));
    assertThat(repeat(session, body).messages()).extracting(Reply.Leased::id).containsExactly("m1");
    partition.expectCounts(0, 0, 2, 0);
  }

  @Test
  default void claim_sentAgainAfterAnotherClaim_omitsTheLostMessage(
      TestPartition partition, TestSession session) {
    schedule(partition, session, 1);
    Call.Claim body = new Call.Claim(1, 1);
    session.send(body);
    partition.advance(Duration.ofMillis(3));
    ClaimedMessage held = partition.newSession().claimOne();
    assertThat(repeat(session, body).messages()).isEmpty();
    assertThat(partition.newSession().ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  private static Reply.Claimed repeat(TestSession session, Call.Claim body) {
    Reply reply = session.sendLastAgain(body);
    assertThat(reply).isInstanceOf(Reply.Claimed.class);
    return (Reply.Claimed) reply;
  }

  private static void schedule(TestPartition partition, TestSession session, int count) {
    for (int i = 0; i < count; i++) {
      session.schedule("m" + i, partition.past(i));
    }
  }
}
