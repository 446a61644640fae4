package io.punctual.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.Due;
import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client side of the session protocol, answer by answer. */
class PartitionSessionTest {
  private static final Outcome.OfSchedule STORED =
      new Outcome.OfSchedule(ScheduleOutcome.STORED, 5, null);
  private static final Outcome.OfSettlement DONE = new Outcome.OfSettlement(SettleOutcome.DONE);

  private final ScriptedPartition partition = new ScriptedPartition();
  private final StepTimer timer = new StepTimer();
  private final Environment env =
      new Environment(
          timer,
          InstantSource.system(),
          () -> new Random(1),
          new Events(List.of()),
          1 << 20,
          Duration.ofSeconds(60),
          5000);
  private final PartitionSession session =
      new PartitionSession(partition, env, new StoreHealth("test:", env), "client");

  private static final class Result implements OperationCallback {
    @Nullable Outcome outcome;
    @Nullable RuntimeException failure;
    long firstSentNanos;

    @Override
    public void completed(Outcome told, long firstSent) {
      assertThat(outcome).isNull();
      assertThat(failure).isNull();
      outcome = told;
      firstSentNanos = firstSent;
    }

    @Override
    public void failed(RuntimeException told) {
      assertThat(outcome).isNull();
      assertThat(failure).isNull();
      failure = told;
    }
  }

  private static final class ClaimResult implements ClaimCallback {
    Reply.@Nullable Claimed claimed;
    @Nullable RuntimeException failure;
    long firstSentNanos;

    @Override
    public void claimed(Reply.Claimed told, long firstSent) {
      claimed = told;
      firstSentNanos = firstSent;
    }

    @Override
    public void failed(RuntimeException reason) {
      failure = reason;
    }
  }

  private static Operation schedule(String id) {
    return new Operation.Schedule(
        id, DueTime.of(Due.now()), IfPresent.KEEP, Content.of(new byte[0]));
  }

  private Result submit(Operation operation) {
    Result told = new Result();
    session.submit(operation, null, told);
    return told;
  }

  private static Reply applied(Outcome... outcomes) {
    return new Reply.Applied(List.of(outcomes), 1, null);
  }

  private static void unknown(ScriptedPartition.Pending pending) {
    pending.answer().completeExceptionally(new IOException("connection lost"));
  }

  @Test
  void submit_first_opensASessionAndSendsNumberOne() {
    Result told = submit(schedule("a"));
    assertThat(partition.opened).containsExactly("client0");
    ScriptedPartition.Pending call = partition.next();
    assertThat(call.call().session()).isEqualTo("client0");
    assertThat(call.call().number()).isEqualTo(1);
    assertThat(call.call().lowestUnanswered()).isEqualTo(1);
    call.answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
  }

  @Test
  void submit_twoUnderWay_theRestGathers() {
    for (int i = 0; i < 20; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(2);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().ids()).hasSize(18).startsWith("m2").endsWith("m19");
  }

  @Test
  void submit_manyUnderWay_twoCallsOnly() {
    List<Operation> many = new ArrayList<>();
    List<OperationCallback> tickets = new ArrayList<>();
    for (int i = 0; i < 4500; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Result());
    }
    session.submit(many, null, tickets);
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls).allSatisfy(call -> assertThat(call.ids()).hasSize(1000));
  }

  @Test
  void submit_gatheringPartition_oneCallAndTheRestShareTheNext() {
    partition.gathering = true;
    for (int i = 0; i < 20; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(1);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.calls).hasSize(1);
    assertThat(partition.next().ids()).hasSize(19).startsWith("m1").endsWith("m19");
  }

  @Test
  void submit_gatheringPartitionWhenTold_sharesOneCall() {
    partition.gathering = true;
    submit(schedule("first"));
    List<Result> again = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String id = "again" + i;
      session.submit(
          schedule("m" + i),
          null,
          new OperationCallback() {
            @Override
            public void completed(Outcome outcome, long firstSent) {
              again.add(submit(schedule(id)));
            }

            @Override
            public void failed(RuntimeException failure) {
              throw new AssertionError(failure);
            }
          });
    }
    partition.next().answer().complete(applied(STORED));
    partition.next().answer().complete(applied(STORED, STORED, STORED));
    assertThat(partition.calls).hasSize(1);
    ScriptedPartition.Pending shared = partition.next();
    assertThat(shared.ids()).containsExactly("again0", "again1", "again2");
    shared.answer().complete(applied(STORED, STORED, STORED));
    assertThat(again).allSatisfy(told -> assertThat(told.outcome).isEqualTo(STORED));
  }

  @Test
  void submit_gatheringPartitionWithEnoughUnderWay_anotherCallIsOnItsWay() {
    partition.gathering = true;
    List<Operation> many = new ArrayList<>();
    List<OperationCallback> tickets = new ArrayList<>();
    for (int i = 0; i < Partition.MANY_OPERATIONS; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Result());
    }
    session.submit(many, null, tickets);
    submit(schedule("second"));
    submit(schedule("third"));
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().ids()).containsExactly("second");
  }

  @Test
  void claim_answeredOnAGatheringPartition_whatIsAskedMeanwhileLeavesAtOnce() {
    partition.gathering = true;
    int[] sent = new int[1];
    session.claim(
        1,
        1000,
        new ClaimCallback() {
          @Override
          public void claimed(Reply.Claimed claimed, long firstSentNanos) {
            submit(schedule("meanwhile"));
            sent[0] = partition.calls.size();
          }

          @Override
          public void failed(RuntimeException reason) {}
        });
    partition.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(sent[0]).isEqualTo(1);
  }

  @Test
  void claim_gatheringPartition_waitsForNothing() {
    partition.gathering = true;
    submit(schedule("a"));
    session.claim(1, 1000, new ClaimResult());
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().call().body()).isInstanceOf(Call.Claim.class);
  }

  private Result ack(String id) {
    Result told = new Result();
    session.submitDeferrable(new Operation.Ack(id, 1), null, told);
    return told;
  }

  @Test
  void submitDeferrable_gatheringPartition_lingersForAMillisecondAndSharesOneCall() {
    partition.gathering = true;
    Result a = ack("a");
    timer.advanceMillis(0);
    Result b = ack("b");
    assertThat(partition.calls).isEmpty();
    timer.advanceMillis(1);
    ScriptedPartition.Pending shared = partition.next();
    assertThat(shared.ids()).containsExactly("a", "b");
    shared.answer().complete(applied(DONE, DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(b.outcome).isEqualTo(DONE);
    Result later = ack("later");
    assertThat(partition.calls).isEmpty();
    timer.advanceMillis(1);
    partition.next().answer().complete(applied(DONE));
    assertThat(later.outcome).isEqualTo(DONE);
  }

  @Test
  void submitDeferrable_thenSomebodyWaits_bothLeaveInTheirOrderAtOnce() {
    partition.gathering = true;
    ack("a");
    submit(schedule("urgent"));
    assertThat(partition.next().ids()).containsExactly("a", "urgent");
    timer.advanceMillis(1);
    assertThat(partition.calls).isEmpty();
  }

  @Test
  void submitDeferrable_thenAClaim_leavesWithIt() {
    partition.gathering = true;
    ack("a");
    session.claim(1, 1000, new ClaimResult());
    assertThat(partition.next().call().body()).isInstanceOf(Call.Claim.class);
    assertThat(partition.next().ids()).containsExactly("a");
    ack("b");
    assertThat(partition.calls).isEmpty();
  }

  @Test
  void submitDeferrable_whileACallIsUnderWay_staysOneCallAtATime() {
    partition.gathering = true;
    submit(schedule("first"));
    ack("a");
    timer.advanceMillis(1);
    assertThat(partition.calls).hasSize(1);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.next().ids()).containsExactly("a");
  }

  @Test
  void submitDeferrable_partitionThatAnswersAtOnce_doesNotLinger() {
    ack("a");
    assertThat(partition.next().ids()).containsExactly("a");
  }

  @Test
  void submitDeferrable_thenClosed_leavesAtOnce() {
    partition.gathering = true;
    Result a = ack("a");
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    partition.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(closed).isDone();
  }

  @Test
  void submitDeferrable_enoughForACall_leavesAtOnce() {
    partition.gathering = true;
    for (int i = 0; i < Partition.MANY_OPERATIONS; i++) {
      assertThat(partition.calls).isEmpty();
      ack("m" + i);
    }
    assertThat(partition.next().ids()).hasSize(Partition.MANY_OPERATIONS);
  }

  @Test
  void submitDeferrable_partitionCannotBeReached_isSentOnceItCan() {
    partition.gathering = true;
    partition.openFailure = new Partition.NotSentException("down", null);
    Result a = ack("a");
    timer.advanceMillis(500);
    partition.openFailure = null;
    timer.advanceMillis(2000);
    partition.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
  }

  @Test
  void submit_differentDurability_callsOfTheirOwnInOrder() {
    submit(schedule("hold0"));
    submit(schedule("hold1"));
    submit(schedule("a"));
    session.submit(schedule("b"), new Durability(false, 1), new Result());
    submit(schedule("c"));
    List<List<String>> sent = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScriptedPartition.Pending call = partition.next();
      sent.add(call.ids());
      call.answer().complete(applied(STORED));
    }
    assertThat(sent)
        .containsExactly(
            List.of("hold0"), List.of("hold1"), List.of("a"), List.of("b"), List.of("c"));
  }

  @Test
  void submit_beyondTheLimit_refusedAsBusyNotAsFull() {
    for (int i = 0; i < 5004; i++) {
      submit(schedule("m" + i));
    }
    assertThat(submit(schedule("more")).failure).isInstanceOf(ClientBusyException.class);
    assertThat(submit(new Operation.Ack("x", 1)).failure).isNull();
  }

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
    session.claim(1, 1000, claim);
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
    session.claim(1, 1000, claim);
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
    assertThat(partition.opened).containsExactly("client0", "client1");
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
    assertThat(partition.opened).containsExactly("client0", "client1");
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
    session.claim(1, 1000, claim);
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

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
        new Environment(
            timer,
            InstantSource.system(),
            () -> new Random(1),
            new Events(List.of()),
            1 << 20,
            Duration.ofDays(365_000),
            5000);
    new PartitionSession(partition, patient, new StoreHealth("test:", patient), "client")
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
  void call_thePartitionThrowsAnError_isTriedAgain() {
    partition.callError = new NoClassDefFoundError("a driver's class");
    Result a = submit(schedule("a"));
    partition.callError = null;
    timer.advanceMillis(1000);
    partition.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isEqualTo(STORED);
  }

  @Test
  void opening_answerLost_triesTheSameSessionAgain() {
    partition.openFailure = new IllegalStateException("connection lost");
    submit(schedule("a"));
    timer.advanceMillis(5000);
    partition.openFailure = null;
    timer.advanceMillis(5000);
    assertThat(partition.opened).containsExactly("client0");
  }

  @Test
  void withdraw_notSentYet_isTakenBack() {
    partition.openFailure = new Partition.NotSentException("away", null);
    ClaimResult claim = new ClaimResult();
    session.claim(1, 1000, claim);
    assertThat(session.withdraw(claim)).isTrue();
    assertThat(session.withdraw(claim)).isFalse();
    partition.openFailure = null;
    timer.advanceMillis(1000);
    assertThat(partition.calls).isEmpty();
  }

  private static Reply waiting(CompletableFuture<@Nullable String> confirmation, Outcome... done) {
    return new Reply.Applied(List.of(done), 1, confirmation);
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
    partition.gathering = true;
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
    partition.gathering = true;
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

  private boolean nextIsAClaim() {
    return partition.calls.getLast().call().body() instanceof Call.Claim;
  }

  private ScriptedPartition.Pending firstOfMany(boolean claim) {
    ScriptedPartition.Pending first =
        partition.calls.stream()
            .filter(call -> call.call().body() instanceof Call.Claim == claim)
            .findFirst()
            .orElseThrow();
    partition.calls.remove(first);
    return first;
  }

  private static Reply noMessages() {
    return new Reply.Claimed(List.of(), List.of(), 1, 1, Long.MAX_VALUE);
  }

  @Test
  void claimsKeepComing_anOperationHasTheNextTurn() {
    for (int i = 0; i < 200; i++) {
      session.claim(1, 1000, new ClaimResult());
    }
    assertThat(partition.calls).hasSize(64);
    submit(schedule("a"));
    assertThat(nextIsAClaim()).isTrue();
    partition.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
    assertThat(partition.calls.getLast().ids()).containsExactly("a");
    partition.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isTrue();
  }

  @Test
  void operationsKeepComing_aClaimHasTheNextTurn() {
    for (int i = 0; i < 62; i++) {
      session.claim(1, 1000, new ClaimResult());
    }
    for (int i = 0; i < 10; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(64);
    session.claim(1, 1000, new ClaimResult());
    ScriptedPartition.Pending apply = firstOfMany(false);
    apply.answer().complete(applied(STORED));
    assertThat(nextIsAClaim()).isTrue();
    submit(schedule("late"));
    firstOfMany(true).answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
  }

  private OutcomeCallback<Outcome> submitted(Operation operation) {
    OutcomeCallback<Outcome> ticket = new OutcomeCallback<>(outcome -> outcome);
    session.submit(operation, null, ticket);
    return ticket;
  }

  private void withdraw(OutcomeCallback<?> ticket) {
    ticket.withdraw();
    session.endWithdrawn();
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

  @Test
  void emptyCallBody_isAnApplyWithoutOperations() {
    InFlightCall call = InFlightCall.of(new PendingClaim(new Call.Claim(1, 1), new ClaimResult()));
    call.empty();
    assertThat(call.isEmpty()).isTrue();
    assertThat(((Call.Apply) call.body()).operations()).isEmpty();
  }
}
