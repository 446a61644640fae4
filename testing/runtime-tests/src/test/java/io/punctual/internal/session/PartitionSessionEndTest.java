package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.punctual.ClientClosedException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the ends of operations: an outcome, a refusal, a time-out, a withdrawal or the close. */
class PartitionSessionEndTest extends PartitionSessionFixture {
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void timeOut_ofTheFirstInACallBeforeTheLast_theTimerDoesNotSpin() {
    for (int i = 0; i < 2; i++) {
      submit(schedule("hold" + i));
    }
    Result early = submit(schedule("early"));
    timer.advanceMillis(30_000);
    Result late = submit(schedule("late"));
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.calls.getLast().ids()).containsExactly("early", "late");
    timer.advanceMillis(59_000);
    assertThat(early.failure).isNull();
    timer.advanceMillis(1_000);
    assertThat(early.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(late.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void refused_theCallersHearWhyAndTheNumberIsUsedByAnEmptyCall() {
    Result a = submit(schedule("a"));
    partition
        .next()
        .answer()
        .completeExceptionally(new Partition.PartitionException("no permission", null));
    assertThat(a.failure)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageEndingWith("was refused: no permission");
    ScriptedPartition.Pending empty = partition.next();
    assertThat(empty.call().number()).isEqualTo(1);
    assertThat(empty.ids()).isEmpty();
    empty.answer().complete(applied());
    submit(schedule("b"));
    assertThat(partition.next().call().number()).isEqualTo(2);
  }

  @Test
  void refused_afterALostAnswer_isNotToldAsNotDone() {
    Result a = submit(schedule("a"));
    unknown(partition.next());
    partition
        .next()
        .answer()
        .completeExceptionally(new Partition.PartitionException("no permission", null));
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void refusedAtOpening_everybodyHearsWhy() {
    partition.openFailure = new Partition.PartitionException("wrong password", null);
    assertThat(submit(schedule("a")).failure)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageEndingWith("was refused: wrong password");
    partition.openFailure = null;
    Result b = submit(schedule("b"));
    timer.advanceMillis(1000);
    partition.next().answer().complete(applied(STORED));
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void timeOut_neverSent_notDone() {
    partition.openFailure = new Partition.NotSentException("away", null);
    Result a = submit(schedule("a"));
    timer.advanceMillis(59_999);
    assertThat(a.failure).isNull();
    timer.advanceMillis(1);
    assertThat(a.failure).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void timeOut_sent_outcomeUnknownAndNotRunLater() {
    Result a = submit(schedule("a"));
    unknown(partition.next());
    ScriptedPartition.Pending silent = partition.next();
    timer.advanceMillis(60_000);
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
    unknown(silent);
    timer.advanceMillis(1000);
    ScriptedPartition.Pending again = partition.next();
    assertThat(again.call().number()).isEqualTo(1);
    assertThat(again.ids()).isEmpty();
  }

  @Test
  void timeOut_passengersOfOneCallAskedAtDifferentTimes_sweepsOnceTheLastIsOver() {
    for (int i = 0; i < 2; i++) {
      submit(schedule("hold" + i));
    }
    Result early = submit(schedule("early"));
    timer.advanceMillis(10_000);
    Result late = submit(schedule("late"));
    for (int i = 0; i < 2; i++) {
      partition.next().answer().complete(applied(STORED));
    }
    assertThat(partition.calls.getLast().ids()).containsExactly("early", "late");
    assertTimeoutPreemptively(Duration.ofSeconds(20), () -> timer.advanceMillis(50_000));
    assertThat(late.failure).isNull();
    timer.advanceMillis(10_000);
    assertThat(early.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(late.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void timeOut_ofAThousandYears_isOneThatNeverCounts() {
    Result told = new Result();
    Environment patient =
        TestEnvironment.of(timer, InstantSource.system(), Duration.ofDays(365_000));
    new PartitionSession(
            partition, partition, patient, new StoreHealth("test:", patient), "client", () -> {})
        .submit(schedule("a"), null, told);
    timer.advanceMillis(60_000);
    assertThat(told.failure).isNull();
    partition.next().answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
  }

  @Test
  void told_whoAsksAgainWhenTold_doesNotTellTheOthers() {
    List<Integer> depths = new ArrayList<>();
    int[] depth = {0};
    List<Operation> many = new ArrayList<>();
    List<OperationCallback> tickets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      many.add(schedule("m" + i));
      tickets.add(
          new OutcomeCallback<>(
              outcome -> {
                depths.add(++depth[0]);
                submit(schedule("again"));
                depth[0]--;
                return outcome;
              }));
    }
    session.submit(many, null, tickets);
    Outcome[] stored = new Outcome[1000];
    Arrays.fill(stored, STORED);
    partition.next().answer().complete(applied(stored));
    assertThat(depths).hasSize(1000).containsOnly(1);
  }

  @Test
  void told_oneTicketThrowsAnError_theOthersAreToldAllTheSame() {
    session.submit(
        schedule("a"),
        null,
        new OperationCallback() {
          @Override
          public void completed(Outcome outcome, long firstSentNanos) {
            throw new StackOverflowError("a callback");
          }

          @Override
          public void failed(RuntimeException failure) {
            throw new AssertionError(failure);
          }
        });
    for (int i = 0; i < 3; i++) {
      submit(schedule("hold" + i));
    }
    ScriptedPartition.Pending first = partition.next();
    first.answer().complete(applied(STORED));
    Result b = submit(schedule("b"));
    while (!partition.calls.isEmpty()) {
      ScriptedPartition.Pending call = partition.next();
      call.answer()
          .complete(applied(call.ids().stream().map(id -> STORED).toArray(Outcome[]::new)));
    }
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void withdraw_notSentYet_isTakenBack() {
    partition.openFailure = new Partition.NotSentException("away", null);
    ClaimResult claim = new ClaimResult();
    session.claim(new Call.Claim(1, 1000), claim);
    assertThat(session.withdraw(claim)).isTrue();
    assertThat(session.withdraw(claim)).isFalse();
    partition.openFailure = null;
    timer.advanceMillis(1000);
    assertThat(partition.calls).isEmpty();
  }

  @Test
  void unconfirmed_saysStoredNotConfirmed() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Result a = submit(schedule("a"));
    partition.next().answer().complete(waiting(confirmation, STORED));
    assertThat(a.failure).isNull();
    confirmation.complete("0 of 1 replicas");
    assertThat(a.failure)
        .isInstanceOf(NotConfirmedException.class)
        .hasMessageContaining("stored, not confirmed");
  }

  @Test
  void unconfirmed_extensionInTheCall_isTrustedAtOnce() {
    partition.prefersBatching = true;
    submit(schedule("first"));
    Result extension = submit(new Operation.Extend("held", 7, 30_000));
    Result ack = submit(new Operation.Ack("done", 7));
    partition.next().answer().complete(applied(STORED));
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    partition.next().answer().complete(waiting(confirmation, DONE, DONE));
    assertThat(extension.outcome).isEqualTo(DONE);
    assertThat(ack.outcome).isNull();
    confirmation.complete("0 of 1 replicas");
    assertThat(ack.failure).isInstanceOf(NotConfirmedException.class);
  }

  @Test
  void unconfirmed_nextCall_doesNotWait() {
    partition.prefersBatching = true;
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Result confirmed = submit(schedule("a"));
    partition.next().answer().complete(waiting(confirmation, STORED));
    Result extension = submit(new Operation.Extend("held", 7, 30_000));
    partition.next().answer().complete(applied(DONE));
    assertThat(extension.outcome).isEqualTo(DONE);
    confirmation.complete(null);
    assertThat(confirmed.outcome).isEqualTo(STORED);
  }

  @Test
  void unconfirmed_asManyAsTheLimit_theNextCallWaits() {
    List<CompletableFuture<@Nullable String>> confirmations = new ArrayList<>();
    for (int i = 0; i < env.operationLimit(); i++) {
      submit(schedule("m" + i));
      CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
      confirmations.add(confirmation);
      partition.next().answer().complete(waiting(confirmation, STORED));
    }
    submit(schedule("later"));
    assertThat(partition.calls).isEmpty();
    confirmations.get(0).complete(null);
    assertThat(partition.calls.getLast().ids()).containsExactly("later");
  }

  @Test
  void unconfirmed_forTheOperationTimeout_saysStoredNotConfirmed() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Result a = submit(schedule("a"));
    partition.next().answer().complete(waiting(confirmation, STORED));
    timer.advanceMillis(60_000);
    assertThat(a.failure).isInstanceOf(NotConfirmedException.class);
    confirmation.complete(null);
    assertThat(a.outcome).isNull();
  }

  @Test
  void close_unconfirmed_waitsForTheConfirmation() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Result a = submit(schedule("a"));
    partition.next().answer().complete(waiting(confirmation, STORED));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    confirmation.complete(null);
    assertThat(a.outcome).isEqualTo(STORED);
    assertThat(closed).isDone();
    assertThat(partition.closed).containsExactly("client0");
  }

  @Test
  void close_neverConfirmed_endsWithTheTime() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Result a = submit(schedule("a"));
    partition.next().answer().complete(waiting(confirmation, STORED));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    timer.advanceMillis(5000);
    assertThat(a.failure).isInstanceOf(NotConfirmedException.class);
    assertThat(closed).isDone();
  }

  @Test
  void close_answersOutstanding_waitsForThemThenForgetsTheSession() {
    Result a = submit(schedule("a"));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    assertThat(submit(schedule("b")).failure).isInstanceOf(ClientClosedException.class);
    partition.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isNotNull();
    assertThat(closed).isDone();
    assertThat(partition.closed).containsExactly("client0");
  }

  @Test
  void close_noAnswer_endsWithTheTime() {
    Result a = submit(schedule("a"));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    timer.advanceMillis(5000);
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(closed).isDone();
  }

  @Test
  void withdrawn_neverSent_isNotDoneAndNeverSent() {
    partition.openFailure = new Partition.NotSentException("away", null);
    OutcomeCallback<Outcome> a = submitted(schedule("a"));
    OutcomeCallback<Outcome> b = submitted(schedule("b"));
    withdraw(a);
    assertThat(StoreFailures.failure(a)).isInstanceOf(StoreUnavailableException.class);
    partition.openFailure = null;
    timer.advanceMillis(5_000);
    ScriptedPartition.Pending call = partition.next();
    assertThat(call.ids()).containsExactly("b");
    call.answer().complete(applied(STORED));
    assertThat(b).isCompletedWithValue(STORED);
  }

  @Test
  void withdrawn_onItsWay_isNotDoneOnceItIsCertainThatItWasNotSent() {
    OutcomeCallback<Outcome> a = submitted(schedule("a"));
    ScriptedPartition.Pending sending = partition.next();
    withdraw(a);
    assertThat(a).isNotDone();
    sending.answer().completeExceptionally(new Partition.NotSentException("away", null));
    assertThat(StoreFailures.failure(a)).isInstanceOf(StoreUnavailableException.class);
    timer.advanceMillis(1_000);
    assertThat(partition.next().ids()).isEmpty();
  }

  @Test
  void withdrawn_mayHaveBeenDone_isSentAgainAndAnswered() {
    OutcomeCallback<Outcome> a = submitted(schedule("a"));
    unknown(partition.next());
    withdraw(a);
    assertThat(a).isNotDone();
    timer.advanceMillis(1_000);
    ScriptedPartition.Pending again = partition.next();
    assertThat(again.ids()).containsExactly("a");
    again.answer().complete(applied(STORED));
    assertThat(a).isCompletedWithValue(STORED);
  }

  @Test
  void withdrawn_answeredMeanwhile_isDone() {
    OutcomeCallback<Outcome> a = submitted(schedule("a"));
    ScriptedPartition.Pending sending = partition.next();
    withdraw(a);
    sending.answer().complete(applied(STORED));
    assertThat(a).isCompletedWithValue(STORED);
  }

  @Test
  void settlement_sentInALostSessionAndGivenUp_isNotToldAsNotDone() {
    Result ack = submit(new Operation.Ack("a", 1));
    unknown(partition.next());
    partition.next().answer().complete(new Reply.NoSession());
    partition.openFailure = new Partition.NotSentException("away", null);
    partition.calls.clear();
    timer.advanceMillis(61_000);
    assertThat(ack.failure).isInstanceOf(OutcomeUnknownException.class);
  }
}
