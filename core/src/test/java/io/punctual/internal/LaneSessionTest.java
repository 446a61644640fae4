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
import io.punctual.Settled;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
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
class LaneSessionTest {
  private static final Outcome.OfSchedule STORED =
      new Outcome.OfSchedule(ScheduleOutcome.STORED, 5, null);
  private static final Outcome.OfSettlement DONE = new Outcome.OfSettlement(Settled.DONE);

  private final ScriptedLane lane = new ScriptedLane();
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
  private final LaneSession session =
      new LaneSession(lane, env, new StoreHealth("test:", env), "client");

  private static final class Told implements Ticket {
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

  private static final class ToldClaim implements ClaimTicket {
    Reply.@Nullable Claimed claimed;
    boolean abandoned;
    long firstSentNanos;

    @Override
    public void claimed(Reply.Claimed told, long firstSent) {
      claimed = told;
      firstSentNanos = firstSent;
    }

    @Override
    public void abandoned(@Nullable RuntimeException refused) {
      abandoned = true;
    }
  }

  private static Operation schedule(String id) {
    return new Operation.Schedule(
        id, DueTime.of(Due.now()), IfPresent.KEEP, Content.of(new byte[0]));
  }

  private Told submit(Operation operation) {
    Told told = new Told();
    session.submit(operation, null, told);
    return told;
  }

  private static Reply applied(Outcome... outcomes) {
    return new Reply.Applied(List.of(outcomes), 1, null);
  }

  private static void unknown(ScriptedLane.Pending pending) {
    pending.answer().completeExceptionally(new IOException("connection lost"));
  }

  @Test
  void submit_first_opensASessionAndSendsNumberOne() {
    Told told = submit(schedule("a"));
    assertThat(lane.opened).containsExactly("client0");
    ScriptedLane.Pending call = lane.next();
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
    assertThat(lane.calls).hasSize(2);
    lane.next().answer().complete(applied(STORED));
    assertThat(lane.calls).hasSize(2);
    assertThat(lane.calls.getLast().ids()).hasSize(18).startsWith("m2").endsWith("m19");
  }

  @Test
  void submit_manyUnderWay_twoCallsOnly() {
    List<Operation> many = new ArrayList<>();
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < 4500; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Told());
    }
    session.submit(many, null, tickets);
    assertThat(lane.calls).hasSize(2);
    assertThat(lane.calls).allSatisfy(call -> assertThat(call.ids()).hasSize(1000));
  }

  @Test
  void submit_gatheringLane_oneCallAndTheRestShareTheNext() {
    lane.gathering = true;
    for (int i = 0; i < 20; i++) {
      submit(schedule("m" + i));
    }
    assertThat(lane.calls).hasSize(1);
    lane.next().answer().complete(applied(STORED));
    assertThat(lane.calls).hasSize(1);
    assertThat(lane.next().ids()).hasSize(19).startsWith("m1").endsWith("m19");
  }

  @Test
  void submit_gatheringLaneWhenTold_sharesOneCall() {
    lane.gathering = true;
    submit(schedule("first"));
    List<Told> again = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String id = "again" + i;
      session.submit(
          schedule("m" + i),
          null,
          new Ticket() {
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
    lane.next().answer().complete(applied(STORED));
    lane.next().answer().complete(applied(STORED, STORED, STORED));
    assertThat(lane.calls).hasSize(1);
    ScriptedLane.Pending shared = lane.next();
    assertThat(shared.ids()).containsExactly("again0", "again1", "again2");
    shared.answer().complete(applied(STORED, STORED, STORED));
    assertThat(again).allSatisfy(told -> assertThat(told.outcome).isEqualTo(STORED));
  }

  @Test
  void submit_gatheringLaneWithEnoughUnderWay_anotherCallIsOnItsWay() {
    lane.gathering = true;
    List<Operation> many = new ArrayList<>();
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < Lane.MANY_OPERATIONS; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Told());
    }
    session.submit(many, null, tickets);
    submit(schedule("second"));
    submit(schedule("third"));
    assertThat(lane.calls).hasSize(2);
    assertThat(lane.calls.getLast().ids()).containsExactly("second");
  }

  @Test
  void claim_answeredOnAGatheringLane_whatIsAskedMeanwhileLeavesAtOnce() {
    lane.gathering = true;
    int[] sent = new int[1];
    session.claim(
        1,
        1000,
        new ClaimTicket() {
          @Override
          public void claimed(Reply.Claimed claimed, long firstSentNanos) {
            submit(schedule("meanwhile"));
            sent[0] = lane.calls.size();
          }

          @Override
          public void abandoned(@Nullable RuntimeException refused) {}
        });
    lane.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(sent[0]).isEqualTo(1);
  }

  @Test
  void claim_gatheringLane_waitsForNothing() {
    lane.gathering = true;
    submit(schedule("a"));
    session.claim(1, 1000, new ToldClaim());
    assertThat(lane.calls).hasSize(2);
    assertThat(lane.calls.getLast().call().body()).isInstanceOf(Call.Claim.class);
  }

  private Told ack(String id) {
    Told told = new Told();
    session.submitPatiently(new Operation.Ack(id, 1), null, told);
    return told;
  }

  @Test
  void submitPatiently_gatheringLane_lingersForAMillisecondAndSharesOneCall() {
    lane.gathering = true;
    Told a = ack("a");
    timer.advanceMillis(0);
    Told b = ack("b");
    assertThat(lane.calls).isEmpty();
    timer.advanceMillis(1);
    ScriptedLane.Pending shared = lane.next();
    assertThat(shared.ids()).containsExactly("a", "b");
    shared.answer().complete(applied(DONE, DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(b.outcome).isEqualTo(DONE);
    Told later = ack("later");
    assertThat(lane.calls).isEmpty();
    timer.advanceMillis(1);
    lane.next().answer().complete(applied(DONE));
    assertThat(later.outcome).isEqualTo(DONE);
  }

  @Test
  void submitPatiently_thenSomebodyWaits_bothLeaveInTheirOrderAtOnce() {
    lane.gathering = true;
    ack("a");
    submit(schedule("urgent"));
    assertThat(lane.next().ids()).containsExactly("a", "urgent");
    timer.advanceMillis(1);
    assertThat(lane.calls).isEmpty();
  }

  @Test
  void submitPatiently_thenAClaim_leavesWithIt() {
    lane.gathering = true;
    ack("a");
    session.claim(1, 1000, new ToldClaim());
    assertThat(lane.next().call().body()).isInstanceOf(Call.Claim.class);
    assertThat(lane.next().ids()).containsExactly("a");
    ack("b");
    assertThat(lane.calls).isEmpty();
  }

  @Test
  void submitPatiently_whileACallIsUnderWay_staysOneCallAtATime() {
    lane.gathering = true;
    submit(schedule("first"));
    ack("a");
    timer.advanceMillis(1);
    assertThat(lane.calls).hasSize(1);
    lane.next().answer().complete(applied(STORED));
    assertThat(lane.next().ids()).containsExactly("a");
  }

  @Test
  void submitPatiently_laneThatAnswersAtOnce_doesNotLinger() {
    ack("a");
    assertThat(lane.next().ids()).containsExactly("a");
  }

  @Test
  void submitPatiently_thenClosed_leavesAtOnce() {
    lane.gathering = true;
    Told a = ack("a");
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    lane.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(closed).isDone();
  }

  @Test
  void submitPatiently_enoughForACall_leavesAtOnce() {
    lane.gathering = true;
    for (int i = 0; i < Lane.MANY_OPERATIONS; i++) {
      assertThat(lane.calls).isEmpty();
      ack("m" + i);
    }
    assertThat(lane.next().ids()).hasSize(Lane.MANY_OPERATIONS);
  }

  @Test
  void submitPatiently_laneCannotBeReached_isSentOnceItCan() {
    lane.gathering = true;
    lane.openFailure = new Lane.NotSentException("down", null);
    Told a = ack("a");
    timer.advanceMillis(500);
    lane.openFailure = null;
    timer.advanceMillis(2000);
    lane.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
  }

  @Test
  void submit_differentDurability_callsOfTheirOwnInOrder() {
    submit(schedule("hold0"));
    submit(schedule("hold1"));
    submit(schedule("a"));
    session.submit(schedule("b"), new Durability(false, 1), new Told());
    submit(schedule("c"));
    List<List<String>> sent = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScriptedLane.Pending call = lane.next();
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
    Told a = submit(schedule("a"));
    timer.advanceMillis(7);
    Told b = submit(schedule("b"));
    ScriptedLane.Pending first = lane.next();
    ScriptedLane.Pending second = lane.next();
    unknown(first);
    submit(schedule("c"));
    assertThat(lane.calls).isEmpty();
    unknown(second);
    assertThat(lane.calls).extracting(call -> call.call().number()).containsExactly(1L, 2L);
    lane.next().answer().complete(applied(STORED));
    lane.next().answer().complete(applied(STORED));
    assertThat(lane.next().call().number()).isEqualTo(3);
    assertThat(a.outcome).isEqualTo(STORED);
    assertThat(a.firstSentNanos).isZero();
    assertThat(b.firstSentNanos).isEqualTo(7_000_000);
  }

  @Test
  void replyLost_sentAgainLater_theDeadlineStillCountsFromTheFirstSending() {
    ToldClaim claim = new ToldClaim();
    session.claim(1, 1000, claim);
    timer.advanceMillis(500);
    unknown(lane.next());
    timer.advanceMillis(500);
    lane.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(claim.claimed).isNotNull();
    assertThat(claim.firstSentNanos).isZero();
  }

  @Test
  void notSent_sentAgain_theDeadlineCountsFromTheSendingThatLeft() {
    ToldClaim claim = new ToldClaim();
    session.claim(1, 1000, claim);
    timer.advanceMillis(500);
    lane.next().answer().completeExceptionally(new Lane.NotSentException("away", null));
    lane.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(claim.firstSentNanos).isEqualTo(500_000_000);
  }

  @Test
  void failuresThatRepeat_pauseGrowsAndEndsWithTheFirstAnswer() {
    Told told = submit(schedule("a"));
    unknown(lane.next());
    unknown(lane.next());
    assertThat(lane.calls).isEmpty();
    timer.advanceMillis(10);
    unknown(lane.next());
    for (int i = 0; i < 20; i++) {
      timer.advanceMillis(1000);
      unknown(lane.next());
    }
    timer.advanceMillis(1000);
    lane.next().answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
    Told next = submit(schedule("b"));
    unknown(lane.next());
    assertThat(lane.calls).hasSize(1);
    assertThat(next.failure).isNull();
  }

  @Test
  void gap_anEarlierCallWasLost_bothAreSentAgain() {
    Told a = submit(schedule("a"));
    Told b = submit(schedule("b"));
    ScriptedLane.Pending first = lane.next();
    lane.next().answer().complete(new Reply.Gap(1));
    unknown(first);
    assertThat(lane.opened).hasSize(1);
    lane.next().answer().complete(applied(STORED));
    lane.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isNotNull();
    assertThat(b.outcome).isNotNull();
  }

  @Test
  void gap_theLaneForgotWhatItConfirmed_newSessionRunsTheUnansweredAgain() {
    submit(schedule("a"));
    lane.next().answer().complete(applied(STORED));
    Told b = submit(schedule("b"));
    ScriptedLane.Pending lost = lane.next();
    unknown(lost);
    lane.next().answer().complete(new Reply.Gap(1));
    timer.advanceMillis(20);
    assertThat(lane.opened).containsExactly("client0", "client1");
    assertThat(lane.replaced).containsExactly(null, "client0");
    ScriptedLane.Pending again = lane.next();
    assertThat(again.call().number()).isEqualTo(1);
    assertThat(again.ids()).containsExactly("b");
    again.answer().complete(applied(STORED));
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void forgotten_anUnansweredOne_isUnknown() {
    Told a = submit(schedule("a"));
    Told b = submit(schedule("b"));
    ScriptedLane.Pending first = lane.next();
    ScriptedLane.Pending second = lane.next();
    second.answer().complete(applied(STORED));
    unknown(first);
    assertThat(b.outcome).isNotNull();
    submit(schedule("c"));
    lane.next().answer().complete(new Reply.Forgotten());
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void noSession_neverRun_sentAgainInANewOne() {
    Told a = submit(schedule("a"));
    lane.next().answer().complete(new Reply.NoSession());
    assertThat(lane.opened).containsExactly("client0", "client1");
    lane.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isEqualTo(STORED);
  }

  @Test
  void noSession_usedByAnotherClientOfTheSameImage_isNotEnded() {
    submit(schedule("a"));
    lane.next().answer().complete(new Reply.NoSession());
    assertThat(lane.replaced).containsExactly(null, null);
  }

  @Test
  void call_isRepeatedOnlyAfterASendingThatMayHaveBeenCarriedOut() {
    submit(schedule("a"));
    ScriptedLane.Pending first = lane.next();
    assertThat(first.call().repeated()).isFalse();
    first.answer().completeExceptionally(new Lane.NotSentException("not sent", null));
    ScriptedLane.Pending second = lane.next();
    assertThat(second.call().repeated()).isFalse();
    unknown(second);
    timer.advanceMillis(1000);
    assertThat(lane.next().call().repeated()).isTrue();
  }

  @Test
  void noSession_maybeRun_settlementsAgainTheRestUnknownClaimsAbandoned() {
    Told schedule = submit(schedule("a"));
    Told ack = submit(new Operation.Ack("b", 7));
    ToldClaim claim = new ToldClaim();
    session.claim(1, 1000, claim);
    for (int i = 0; i < 3; i++) {
      unknown(lane.next());
    }
    for (int i = 0; i < 3; i++) {
      lane.next().answer().complete(new Reply.NoSession());
    }
    timer.advanceMillis(20);
    assertThat(schedule.failure)
        .isInstanceOfSatisfying(
            OutcomeUnknownException.class, e -> assertThat(e.id()).hasValue("a"));
    assertThat(claim.abandoned).isTrue();
    ScriptedLane.Pending again = lane.next();
    assertThat(again.ids()).containsExactly("b");
    again.answer().complete(applied(DONE));
    assertThat(ack.outcome).isEqualTo(DONE);
    assertThat(lane.calls).isEmpty();
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void timeOut_ofTheFirstInACallBeforeTheLast_theTimerDoesNotSpin() {
    for (int i = 0; i < 2; i++) {
      submit(schedule("hold" + i));
    }
    Told early = submit(schedule("early"));
    timer.advanceMillis(30_000);
    Told late = submit(schedule("late"));
    lane.next().answer().complete(applied(STORED));
    assertThat(lane.calls.getLast().ids()).containsExactly("early", "late");
    timer.advanceMillis(59_000);
    assertThat(early.failure).isNull();
    timer.advanceMillis(1_000);
    assertThat(early.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(late.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void refused_theCallersHearWhyAndTheNumberIsUsedByAnEmptyCall() {
    Told a = submit(schedule("a"));
    lane.next().answer().completeExceptionally(new Lane.LaneException("no permission", null));
    assertThat(a.failure)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageEndingWith("was refused: no permission");
    ScriptedLane.Pending empty = lane.next();
    assertThat(empty.call().number()).isEqualTo(1);
    assertThat(empty.ids()).isEmpty();
    empty.answer().complete(applied());
    submit(schedule("b"));
    assertThat(lane.next().call().number()).isEqualTo(2);
  }

  @Test
  void refused_afterALostAnswer_isNotToldAsNotDone() {
    Told a = submit(schedule("a"));
    unknown(lane.next());
    lane.next().answer().completeExceptionally(new Lane.LaneException("no permission", null));
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void refusedAtOpening_everybodyHearsWhy() {
    lane.openFailure = new Lane.LaneException("wrong password", null);
    assertThat(submit(schedule("a")).failure)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageEndingWith("was refused: wrong password");
    lane.openFailure = null;
    Told b = submit(schedule("b"));
    timer.advanceMillis(1000);
    lane.next().answer().complete(applied(STORED));
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void timeOut_neverSent_notDone() {
    lane.openFailure = new Lane.NotSentException("away", null);
    Told a = submit(schedule("a"));
    timer.advanceMillis(59_999);
    assertThat(a.failure).isNull();
    timer.advanceMillis(1);
    assertThat(a.failure).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void timeOut_sent_outcomeUnknownAndNotRunLater() {
    Told a = submit(schedule("a"));
    unknown(lane.next());
    ScriptedLane.Pending silent = lane.next();
    timer.advanceMillis(60_000);
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
    unknown(silent);
    timer.advanceMillis(1000);
    ScriptedLane.Pending again = lane.next();
    assertThat(again.call().number()).isEqualTo(1);
    assertThat(again.ids()).isEmpty();
  }

  @Test
  void timeOut_passengersOfOneCallAskedAtDifferentTimes_sweepsOnceTheLastIsOver() {
    for (int i = 0; i < 2; i++) {
      submit(schedule("hold" + i));
    }
    Told early = submit(schedule("early"));
    timer.advanceMillis(10_000);
    Told late = submit(schedule("late"));
    for (int i = 0; i < 2; i++) {
      lane.next().answer().complete(applied(STORED));
    }
    assertThat(lane.calls.getLast().ids()).containsExactly("early", "late");
    assertTimeoutPreemptively(Duration.ofSeconds(20), () -> timer.advanceMillis(50_000));
    assertThat(late.failure).isNull();
    timer.advanceMillis(10_000);
    assertThat(early.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(late.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void timeOut_ofAThousandYears_isOneThatNeverCounts() {
    Told told = new Told();
    Environment patient =
        new Environment(
            timer,
            InstantSource.system(),
            () -> new Random(1),
            new Events(List.of()),
            1 << 20,
            Duration.ofDays(365_000),
            5000);
    new LaneSession(lane, patient, new StoreHealth("test:", patient), "client")
        .submit(schedule("a"), null, told);
    timer.advanceMillis(60_000);
    assertThat(told.failure).isNull();
    lane.next().answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
  }

  @Test
  void told_whoAsksAgainWhenTold_doesNotTellTheOthers() {
    List<Integer> depths = new ArrayList<>();
    int[] depth = {0};
    List<Operation> many = new ArrayList<>();
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      many.add(schedule("m" + i));
      tickets.add(
          new OutcomeTicket<>(
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
    lane.next().answer().complete(applied(stored));
    assertThat(depths).hasSize(1000).containsOnly(1);
  }

  @Test
  void told_oneTicketThrowsAnError_theOthersAreToldAllTheSame() {
    session.submit(
        schedule("a"),
        null,
        new Ticket() {
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
    ScriptedLane.Pending first = lane.next();
    first.answer().complete(applied(STORED));
    Told b = submit(schedule("b"));
    while (!lane.calls.isEmpty()) {
      ScriptedLane.Pending call = lane.next();
      call.answer()
          .complete(applied(call.ids().stream().map(id -> STORED).toArray(Outcome[]::new)));
    }
    assertThat(b.outcome).isEqualTo(STORED);
  }

  @Test
  void call_theLaneThrowsAnError_isTriedAgain() {
    lane.callError = new NoClassDefFoundError("a driver's class");
    Told a = submit(schedule("a"));
    lane.callError = null;
    timer.advanceMillis(1000);
    lane.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isEqualTo(STORED);
  }

  @Test
  void opening_answerLost_triesTheSameSessionAgain() {
    lane.openFailure = new IllegalStateException("connection lost");
    submit(schedule("a"));
    timer.advanceMillis(5000);
    lane.openFailure = null;
    timer.advanceMillis(5000);
    assertThat(lane.opened).containsExactly("client0");
  }

  @Test
  void withdraw_notSentYet_isTakenBack() {
    lane.openFailure = new Lane.NotSentException("away", null);
    ToldClaim claim = new ToldClaim();
    session.claim(1, 1000, claim);
    assertThat(session.withdraw(claim)).isTrue();
    assertThat(session.withdraw(claim)).isFalse();
    lane.openFailure = null;
    timer.advanceMillis(1000);
    assertThat(lane.calls).isEmpty();
  }

  private static Reply waiting(CompletableFuture<@Nullable String> confirmation, Outcome... done) {
    return new Reply.Applied(List.of(done), 1, confirmation);
  }

  @Test
  void unconfirmed_saysStoredNotConfirmed() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Told a = submit(schedule("a"));
    lane.next().answer().complete(waiting(confirmation, STORED));
    assertThat(a.failure).isNull();
    confirmation.complete("0 of 1 replicas");
    assertThat(a.failure)
        .isInstanceOf(NotConfirmedException.class)
        .hasMessageContaining("stored, not confirmed");
  }

  @Test
  void unconfirmed_extensionInTheCall_isTrustedAtOnce() {
    lane.gathering = true;
    submit(schedule("first"));
    Told extension = submit(new Operation.Extend("held", 7, 30_000));
    Told ack = submit(new Operation.Ack("done", 7));
    lane.next().answer().complete(applied(STORED));
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    lane.next().answer().complete(waiting(confirmation, DONE, DONE));
    assertThat(extension.outcome).isEqualTo(DONE);
    assertThat(ack.outcome).isNull();
    confirmation.complete("0 of 1 replicas");
    assertThat(ack.failure).isInstanceOf(NotConfirmedException.class);
  }

  @Test
  void unconfirmed_nextCall_doesNotWait() {
    lane.gathering = true;
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Told confirmed = submit(schedule("a"));
    lane.next().answer().complete(waiting(confirmation, STORED));
    Told extension = submit(new Operation.Extend("held", 7, 30_000));
    lane.next().answer().complete(applied(DONE));
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
      lane.next().answer().complete(waiting(confirmation, STORED));
    }
    submit(schedule("later"));
    assertThat(lane.calls).isEmpty();
    confirmations.get(0).complete(null);
    assertThat(lane.calls.getLast().ids()).containsExactly("later");
  }

  @Test
  void unconfirmed_forTheOperationTimeout_saysStoredNotConfirmed() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Told a = submit(schedule("a"));
    lane.next().answer().complete(waiting(confirmation, STORED));
    timer.advanceMillis(60_000);
    assertThat(a.failure).isInstanceOf(NotConfirmedException.class);
    confirmation.complete(null);
    assertThat(a.outcome).isNull();
  }

  @Test
  void close_unconfirmed_waitsForTheConfirmation() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Told a = submit(schedule("a"));
    lane.next().answer().complete(waiting(confirmation, STORED));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    confirmation.complete(null);
    assertThat(a.outcome).isEqualTo(STORED);
    assertThat(closed).isDone();
    assertThat(lane.closed).containsExactly("client0");
  }

  @Test
  void close_neverConfirmed_endsWithTheTime() {
    CompletableFuture<@Nullable String> confirmation = new CompletableFuture<>();
    Told a = submit(schedule("a"));
    lane.next().answer().complete(waiting(confirmation, STORED));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    timer.advanceMillis(5000);
    assertThat(a.failure).isInstanceOf(NotConfirmedException.class);
    assertThat(closed).isDone();
  }

  @Test
  void close_answersOutstanding_waitsForThemThenForgetsTheSession() {
    Told a = submit(schedule("a"));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    assertThat(submit(schedule("b")).failure).isInstanceOf(ClientClosedException.class);
    lane.next().answer().complete(applied(STORED));
    assertThat(a.outcome).isNotNull();
    assertThat(closed).isDone();
    assertThat(lane.closed).containsExactly("client0");
  }

  @Test
  void close_noAnswer_endsWithTheTime() {
    Told a = submit(schedule("a"));
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    timer.advanceMillis(5000);
    assertThat(a.failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(closed).isDone();
  }

  private boolean nextIsAClaim() {
    return lane.calls.getLast().call().body() instanceof Call.Claim;
  }

  private ScriptedLane.Pending firstOfMany(boolean claim) {
    ScriptedLane.Pending first =
        lane.calls.stream()
            .filter(call -> call.call().body() instanceof Call.Claim == claim)
            .findFirst()
            .orElseThrow();
    lane.calls.remove(first);
    return first;
  }

  private static Reply noMessages() {
    return new Reply.Claimed(List.of(), List.of(), 1, 1, Long.MAX_VALUE);
  }

  @Test
  void claimsKeepComing_anOperationHasTheNextTurn() {
    for (int i = 0; i < 200; i++) {
      session.claim(1, 1000, new ToldClaim());
    }
    assertThat(lane.calls).hasSize(64);
    submit(schedule("a"));
    assertThat(nextIsAClaim()).isTrue();
    lane.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
    assertThat(lane.calls.getLast().ids()).containsExactly("a");
    lane.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isTrue();
  }

  @Test
  void operationsKeepComing_aClaimHasTheNextTurn() {
    for (int i = 0; i < 62; i++) {
      session.claim(1, 1000, new ToldClaim());
    }
    for (int i = 0; i < 10; i++) {
      submit(schedule("m" + i));
    }
    assertThat(lane.calls).hasSize(64);
    session.claim(1, 1000, new ToldClaim());
    ScriptedLane.Pending apply = firstOfMany(false);
    apply.answer().complete(applied(STORED));
    assertThat(nextIsAClaim()).isTrue();
    submit(schedule("late"));
    firstOfMany(true).answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
  }

  private OutcomeTicket<Outcome> submitted(Operation operation) {
    OutcomeTicket<Outcome> ticket = new OutcomeTicket<>(outcome -> outcome);
    session.submit(operation, null, ticket);
    return ticket;
  }

  private void withdraw(OutcomeTicket<?> ticket) {
    ticket.withdraw();
    session.dropWithdrawn();
  }

  @Test
  void withdrawn_neverSent_isNotDoneAndNeverSent() {
    lane.openFailure = new Lane.NotSentException("away", null);
    OutcomeTicket<Outcome> a = submitted(schedule("a"));
    OutcomeTicket<Outcome> b = submitted(schedule("b"));
    withdraw(a);
    assertThat(StoreFailures.failure(a)).isInstanceOf(StoreUnavailableException.class);
    lane.openFailure = null;
    timer.advanceMillis(5_000);
    ScriptedLane.Pending call = lane.next();
    assertThat(call.ids()).containsExactly("b");
    call.answer().complete(applied(STORED));
    assertThat(b).isCompletedWithValue(STORED);
  }

  @Test
  void withdrawn_onItsWay_isNotDoneOnceItIsCertainThatItWasNotSent() {
    OutcomeTicket<Outcome> a = submitted(schedule("a"));
    ScriptedLane.Pending sending = lane.next();
    withdraw(a);
    assertThat(a).isNotDone();
    sending.answer().completeExceptionally(new Lane.NotSentException("away", null));
    assertThat(StoreFailures.failure(a)).isInstanceOf(StoreUnavailableException.class);
    timer.advanceMillis(1_000);
    assertThat(lane.next().ids()).isEmpty();
  }

  @Test
  void withdrawn_mayHaveBeenDone_isSentAgainAndAnswered() {
    OutcomeTicket<Outcome> a = submitted(schedule("a"));
    unknown(lane.next());
    withdraw(a);
    assertThat(a).isNotDone();
    timer.advanceMillis(1_000);
    ScriptedLane.Pending again = lane.next();
    assertThat(again.ids()).containsExactly("a");
    again.answer().complete(applied(STORED));
    assertThat(a).isCompletedWithValue(STORED);
  }

  @Test
  void withdrawn_answeredMeanwhile_isDone() {
    OutcomeTicket<Outcome> a = submitted(schedule("a"));
    ScriptedLane.Pending sending = lane.next();
    withdraw(a);
    sending.answer().complete(applied(STORED));
    assertThat(a).isCompletedWithValue(STORED);
  }

  @Test
  void settlement_sentInALostSessionAndGivenUp_isNotToldAsNotDone() {
    Told ack = submit(new Operation.Ack("a", 1));
    unknown(lane.next());
    lane.next().answer().complete(new Reply.NoSession());
    lane.openFailure = new Lane.NotSentException("away", null);
    lane.calls.clear();
    timer.advanceMillis(61_000);
    assertThat(ack.failure).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void emptyCallBody_isAnApplyWithoutOperations() {
    Flight flight = Flight.of(new Call.Claim(1, 1), new ToldClaim());
    flight.empty();
    assertThat(flight.isEmpty()).isTrue();
    assertThat(((Call.Apply) flight.body()).operations()).isEmpty();
  }
}
