package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the repair of a session after lost calls, lost replies, gaps and lost sessions. */
class PartitionSessionRepairTest extends PartitionSessionFixture {
  @Test
  void replyLost_laterOnesWaitThenAllAreSentAgainInOrderUnderTheirNumbers() {
    Result a = submit(schedule("a"));
    timer.advanceMillis(7);
    Result b = submit(schedule("b"));
    ScriptedPartition.Pending first = partition.next();
    ScriptedPartition.Pending second = partition.next();
    unknown(first);
    submit(schedule("c"));
    assertThat(partition.calls).isEmpty();
    unknown(second);
    assertThat(partition.calls).extracting(call -> call.call().number()).containsExactly(1L, 2L);
    partition.next().answer().complete(applied(STORED));
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.next().call().number()).isEqualTo(3);
    assertThat(a.outcome).isEqualTo(STORED);
    assertThat(a.firstSentNanos).isZero();
    assertThat(b.firstSentNanos).isEqualTo(7_000_000);
  }

  @Test
  void replyLost_sentAgainLater_theDeadlineStillCountsFromTheFirstSending() {
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000), claim);
    timer.advanceMillis(500);
    unknown(partition.next());
    timer.advanceMillis(500);
    partition.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(claim.claimed).isNotNull();
    assertThat(claim.firstSentNanos).isZero();
  }

  @Test
  void notSent_sentAgain_theDeadlineCountsFromTheSendingThatLeft() {
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000), claim);
    timer.advanceMillis(500);
    partition.next().answer().completeExceptionally(new Partition.NotSentException("away", null));
    partition.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(claim.firstSentNanos).isEqualTo(500_000_000);
  }

  @Test
  void failuresThatRepeat_pauseGrowsAndEndsWithTheFirstAnswer() {
    Result told = submit(schedule("a"));
    unknown(partition.next());
    unknown(partition.next());
    assertThat(partition.calls).isEmpty();
    timer.advanceMillis(10);
    unknown(partition.next());
    for (int i = 0; i < 20; i++) {
      timer.advanceMillis(1000);
      unknown(partition.next());
    }
    timer.advanceMillis(1000);
    partition.next().answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
    Result next = submit(schedule("b"));
    unknown(partition.next());
    assertThat(partition.calls).hasSize(1);
    assertThat(next.failure).isNull();
  }

  @Test
  void gap_anEarlierCallWasLost_bothAreSentAgain() {
    Result a = submit(schedule("a"));
    Result b = submit(schedule("b"));
    ScriptedPartition.Pending first = partition.next();
    partition.next().answer().complete(new Reply.Gap(1));
    unknown(first);
    assertThat(partition.opened).hasSize(1);
    partition.next().answer().complete(applied(STORED));
    partition.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isNotNull();
    assertThat(b.outcome).isNotNull();
  }

  @Test
  void gap_thePartitionForgotWhatItConfirmed_newSessionRunsTheUnansweredAgain() {
    submit(schedule("a"));
    partition.next().answer().complete(applied(STORED));
    Result b = submit(schedule("b"));
    ScriptedPartition.Pending lost = partition.next();
    unknown(lost);
    partition.next().answer().complete(new Reply.Gap(1));
    timer.advanceMillis(20);
    assertThat(partition.opened).hasSize(2).startsWith("client0").doesNotHaveDuplicates();
    assertThat(partition.replaced).containsExactly(null, "client0");
    ScriptedPartition.Pending again = partition.next();
    assertThat(again.call().number()).isEqualTo(1);
    assertThat(again.ids()).containsExactly("b");
    again.answer().complete(applied(STORED));
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void forgotten_anUnansweredOne_isUnknown() {
    Result a = submit(schedule("a"));
    Result b = submit(schedule("b"));
    ScriptedPartition.Pending first = partition.next();
    ScriptedPartition.Pending second = partition.next();
    second.answer().complete(applied(STORED));
    unknown(first);
    assertThat(b.outcome).isNotNull();
    submit(schedule("c"));
    partition.next().answer().complete(new Reply.Forgotten());
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void noSession_neverRun_sentAgainInANewOne() {
    Result a = submit(schedule("a"));
    partition.next().answer().complete(new Reply.NoSession());
    assertThat(partition.opened).hasSize(2).startsWith("client0").doesNotHaveDuplicates();
    partition.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isEqualTo(STORED);
  }

  @Test
  void noSession_usedByAnotherClientOfTheSameImage_isNotEnded() {
    submit(schedule("a"));
    partition.next().answer().complete(new Reply.NoSession());
    assertThat(partition.replaced).containsExactly(null, null);
  }

  @Test
  void call_isRepeatedOnlyAfterASendingThatMayHaveBeenCarriedOut() {
    submit(schedule("a"));
    ScriptedPartition.Pending first = partition.next();
    assertThat(first.call().repeated()).isFalse();
    first.answer().completeExceptionally(new Partition.NotSentException("not sent", null));
    ScriptedPartition.Pending second = partition.next();
    assertThat(second.call().repeated()).isFalse();
    unknown(second);
    timer.advanceMillis(1000);
    assertThat(partition.next().call().repeated()).isTrue();
  }

  @Test
  void noSession_maybeRun_settlementsAgainTheRestUnknownClaimsAbandoned() {
    Result schedule = submit(schedule("a"));
    Result ack = submit(new Operation.Ack("b", 7));
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000), claim);
    for (int i = 0; i < 3; i++) {
      unknown(partition.next());
    }
    for (int i = 0; i < 3; i++) {
      partition.next().answer().complete(new Reply.NoSession());
    }
    timer.advanceMillis(20);
    assertThat(schedule.failure)
        .isInstanceOfSatisfying(
            OutcomeUnknownException.class, e -> assertThat(e.id()).hasValue("a"));
    assertThat(claim.failure).isInstanceOf(SessionLostException.class);
    ScriptedPartition.Pending again = partition.next();
    assertThat(again.ids()).containsExactly("b");
    again.answer().complete(applied(DONE));
    assertThat(ack.outcome).isEqualTo(DONE);
    assertThat(partition.calls).isEmpty();
  }

  private void refuse(ScriptedPartition.Pending pending) {
    pending.answer().completeExceptionally(new Partition.PartitionException("no rights", null));
  }

  @Test
  void claim_replyLostAndTheRepetitionRefused_mayHaveRun() {
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000, true), claim);
    unknown(partition.next());
    refuse(partition.next());
    assertThat(claim.failure).isInstanceOf(SessionLostException.class);
  }

  @Test
  void claim_neverRunAndRefused_isRefused() {
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000, true), claim);
    refuse(partition.next());
    assertThat(claim.failure).isInstanceOf(Partition.PartitionException.class);
  }

  @Test
  void claim_replyLostAndThePartitionsChanged_mayHaveRun() {
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000, true), claim);
    unknown(partition.next());
    Partition.PartitionCountException stale = new Partition.PartitionCountException(2, null);
    partition.next().answer().completeExceptionally(stale);
    assertThat(session.moveTo(id -> session, stale)).isDone();
    assertThat(claim.failure).isInstanceOf(SessionLostException.class);
  }

  @Test
  void settlement_mayHaveRunInALostSessionAndTheNextIsRefused_isUnknown() {
    Result ack = submit(new Operation.Ack("a", 7));
    unknown(partition.next());
    partition.openFailure = new Partition.PartitionException("no rights", null);
    partition.next().answer().complete(new Reply.NoSession());
    timer.advanceMillis(20);
    assertThat(ack.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void openRefusedAfterALostSession_theNextSessionBeginsWithItsFirstNumber() {
    submit(new Operation.Ack("a", 7));
    unknown(partition.next());
    partition.openFailure = new Partition.PartitionException("no rights", null);
    partition.next().answer().complete(new Reply.NoSession());
    timer.advanceMillis(20);
    partition.openFailure = null;
    submit(schedule("b"));
    timer.advanceMillis(5000);
    assertThat(partition.next().call().number()).isEqualTo(1);
  }

  @Test
  void call_thePartitionThrowsAnError_isTriedAgain() {
    partition.callError = new NoClassDefFoundError("a driver's class");
    Result a = submit(schedule("a"));
    partition.callError = null;
    timer.advanceMillis(1000);
    partition.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isEqualTo(STORED);
  }

  @Test
  void opening_answerLost_opensADifferentSession_becauseTheRequestMayArriveLate() {
    partition.openFailure = new IllegalStateException("connection lost");
    Result told = submit(schedule("a"));
    timer.advanceMillis(5000);
    partition.openFailure = null;
    timer.advanceMillis(5000);
    assertThat(partition.opened).hasSize(1).doesNotContain("client0");
    partition.next().answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
  }

  @Test
  void emptyCallBody_isAnApplyWithoutOperations() {
    InFlightCall call =
        InFlightCall.of(new Pending.OfClaim(new Call.Claim(1, 1), new ClaimResult()));
    call.empty();
    assertThat(call.isEmpty()).isTrue();
    assertThat(((Call.Apply) call.body()).operations()).isEmpty();
  }
}
