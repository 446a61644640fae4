package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the operations that copy a queue from store to store: one restores a message, the other
 * remembers the id of a finished message. Tests them for an id in each initial state, and tests the
 * later life of a restored message.
 */
interface RestoreContract {
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "SCHEDULED,      REJECTED, SCHEDULED",
    "READY,          REJECTED, READY",
    "LEASED,         REJECTED, LEASED",
    "EXPIRED,        REJECTED, LEASED",
    "MARKED,         REJECTED, LEASED",
    "EXPIRED_MARKED, REJECTED, LEASED",
    "DEAD,           REJECTED, DEAD",
    "FINISHED,       REJECTED, FINISHED",
  })
  default void restore_eachInitialState_rejectsAPresentId(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    long due = partition.past(5).millis();
    long old = cell.oldDue().millis();
    boolean stored = outcome == ScheduleOutcome.STORED;
    Operation.Restore restore =
        new Operation.Restore(InitialState.ID, due, 0, new byte[0], 0, content(InitialState.NEW));
    assertThat(cell.session().apply(restore).outcomes())
        .containsExactly(new Outcome.OfSchedule(outcome, stored ? due : old, previous));
    if (stored) {
      cell.expectNewReady();
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "SCHEDULED",
    "READY",
    "LEASED",
    "EXPIRED",
    "MARKED",
    "EXPIRED_MARKED",
    "DEAD",
    "FINISHED"
  })
  default void restore_deadLetterOfAPresentId_isRejected(
      InitialState state, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    StateTableCell cell = new StateTableCell(partition, state);
    Outcome outcome = cell.session().apply(dead(InitialState.ID, partition, 3)).outcomes().get(0);
    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.OfSchedule.class,
            of -> {
              assertThat(of.outcome()).isEqualTo(ScheduleOutcome.REJECTED);
              assertThat(of.previous()).isEqualTo(state.state());
            });
    cell.expectUnchanged();
  }

  @Test
  default void restore_waitingMessageWithAttempts_continuesToCount(
      TestPartition partition, TestSession session) {
    Content content =
        new Content(new byte[] {0, 1}, Map.of("tenant", "\u00fc"), partition.far(9).millis());
    long due = partition.past().millis();
    byte[] history = "failed twice".getBytes(UTF_8);
    session.apply(new Operation.Restore("a", due, 2, history, 0, content));
    partition.expectCounts(0, 1, 0, 0);
    expectEntry(partition, State.READY, due, 2, history, 0, content);

    ClaimedMessage held = session.claimOne();
    assertThat(held.attempt()).isEqualTo(3);
    assertThat(held.history()).isEqualTo("failed twice");
    assertThat(held.message().content()).usingRecursiveComparison().isEqualTo(content);
    assertThat(held.message().dueMillis()).isEqualTo(due);
    assertThat(session.release(held)).isEqualTo(SettleOutcome.DONE);
    expectEntry(partition, State.READY, due, 2, history, 0, content);
    assertThat(session.ack(session.claimOne())).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void restore_scheduledMessage_waitsForItsDueTime(
      TestPartition partition, TestSession session) {
    byte[] history = {7};
    session.apply(
        new Operation.Restore("a", partition.far().millis(), 1, history, 0, content("later")));
    partition.expectCounts(1, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
    expectEntry(
        partition, State.SCHEDULED, partition.far().millis(), 1, history, 0, content("later"));
  }

  @Test
  default void restore_deadLetter_keepsItsTimesAndIsNotClaimed(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.DEAD_LETTERS);
    Operation.Restore dead = dead("a", partition, 5);
    assertThat(session.apply(dead).outcomes())
        .containsExactly(new Outcome.OfSchedule(ScheduleOutcome.STORED, dead.dueMillis(), null));
    partition.expectCounts(0, 0, 0, 1);
    assertThat(session.claimIds()).isEmpty();
    expectEntry(
        partition,
        State.DEAD,
        dead.dueMillis(),
        5,
        dead.history(),
        dead.diedAtMillis(),
        dead.content());
    assertThat(session.redrive("a")).isEqualTo(DeadLetterOutcome.DONE);
    partition.advance(Duration.ofMillis(2));
    ClaimedMessage held = session.claimOne();
    assertThat(held.attempt()).isEqualTo(1);
    assertThat(held.history()).isEmpty();
  }

  @Test
  default void restore_deletedDeadLetterInTheSameCall_hasTheNewTimes(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.DEAD_LETTERS);
    session.apply(dead("a", partition, 1));
    Operation.Restore again =
        new Operation.Restore(
            "a",
            partition.past(4).millis(),
            7,
            new byte[] {9},
            partition.past(6).millis(),
            content("second"));
    session.apply(new Operation.DeleteDead("a"), again);
    expectEntry(
        partition,
        State.DEAD,
        again.dueMillis(),
        7,
        again.history(),
        again.diedAtMillis(),
        again.content());
    session.apply(
        new Operation.DeleteDead("a"),
        new Operation.Restore("a", partition.past().millis(), 0, new byte[0], 0, content("third")));
    ClaimedMessage held = session.claimOne();
    assertThat(held.attempt()).isEqualTo(1);
    assertThat(held.history()).isEmpty();
    assertThat(held.payload()).isEqualTo("third");
  }

  @Test
  default void restore_beforeOtherOperationsOfItsCall_isSeenByThem(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.DEAD_LETTERS);
    List<Outcome> outcomes =
        session
            .apply(
                dead("a", partition, 2),
                TestSession.scheduling("a", partition.past(), IfPresent.REJECT, "no"),
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "yes"),
                dead("a", partition, 2))
            .outcomes();
    assertThat(outcomes)
        .extracting(outcome -> ((Outcome.OfSchedule) outcome).outcome())
        .containsExactly(
            ScheduleOutcome.STORED,
            ScheduleOutcome.REJECTED,
            ScheduleOutcome.REPLACED,
            ScheduleOutcome.REJECTED);
    ClaimedMessage held = session.claimOne();
    assertThat(held.payload()).isEqualTo("yes");
    assertThat(held.attempt()).isEqualTo(1);
    assertThat(held.history()).isEmpty();
  }

  @Test
  default void restore_asManyAsAllowed_allAreStored(TestPartition partition, TestSession session) {
    partition.needs(Capability.DEAD_LETTERS);
    List<Operation> restores =
        IntStream.range(0, Partition.MAX_OPERATIONS)
            .<Operation>mapToObj(
                i ->
                    i % 2 == 0
                        ? dead("m" + i, partition, 1 + i)
                        : new Operation.Restore(
                            "m" + i,
                            partition.past().millis(),
                            i,
                            new byte[] {1},
                            0,
                            content("m" + i)))
            .toList();
    session.apply(restores);
    int half = Partition.MAX_OPERATIONS / 2;
    partition.expectCounts(0, half, 0, half);
    session
        .apply(restores)
        .outcomes()
        .forEach(
            outcome ->
                assertThat(((Outcome.OfSchedule) outcome).outcome())
                    .isEqualTo(ScheduleOutcome.REJECTED));
    assertThat(session.hold(Partition.MAX_OPERATIONS, TestSession.LONG))
        .hasSize(half)
        .allSatisfy(
            held ->
                assertThat(held.attempt()).isEqualTo(Integer.parseInt(held.id().substring(1)) + 1));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "SCHEDULED,      REJECTED, SCHEDULED",
    "READY,          REJECTED, READY",
    "LEASED,         REJECTED, LEASED",
    "EXPIRED,        REJECTED, LEASED",
    "MARKED,         REJECTED, LEASED",
    "EXPIRED_MARKED, REJECTED, LEASED",
    "DEAD,           REJECTED, DEAD",
    "FINISHED,       REJECTED, FINISHED",
  })
  default void remember_eachInitialState_rejectsAPresentId(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    partition.needs(Capability.REMEMBER);
    StateTableCell cell = new StateTableCell(partition, state);
    long until = partition.far(7).millis();
    long old = cell.oldDue().millis();
    boolean stored = outcome == ScheduleOutcome.STORED;
    assertThat(cell.session().apply(new Operation.Remember(InitialState.ID, until)).outcomes())
        .containsExactly(new Outcome.OfSchedule(outcome, stored ? until : old, previous));
    if (!stored) {
      cell.expectUnchanged();
    }
  }

  @Test
  default void remember_absentIds_areLikeIdsOfFinishedMessages(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.BROWSE, Capability.DEAD_LETTERS);
    session.apply(
        new Operation.Remember("b", partition.far(2).millis()),
        new Operation.Remember("a", partition.far(1).millis()),
        new Operation.Remember("a", partition.far(3).millis()));
    partition.expectCounts(0, 0, 0, 0, 2);
    assertThat(session.claimIds()).isEmpty();
    assertThat(partition.browseIds(State.FINISHED, 1)).containsExactly("a", "b");
    assertThat(partition.entry("a"))
        .usingRecursiveComparison()
        .isEqualTo(
            new Entry(
                "a",
                State.FINISHED,
                null,
                partition.far(1).millis(),
                0,
                new byte[0],
                0,
                false,
                0,
                null));
    Outcome.OfSchedule kept = session.schedule("a", partition.past());
    assertThat(kept)
        .isEqualTo(
            new Outcome.OfSchedule(
                ScheduleOutcome.KEPT, partition.far(1).millis(), State.FINISHED));
    assertThat(session.redrive("a")).isEqualTo(DeadLetterOutcome.NOT_FOUND);
    session.schedule("a", partition.past(), IfPresent.REPLACE, "again");
    partition.expectCounts(0, 1, 0, 0, 1);
    assertThat(session.claimOne().payload()).isEqualTo("again");
    partition.expectCounts(0, 0, 1, 0, 1);
  }

  @Test
  default void remember_timeIsOver_forgetsTheIdAtOnce(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    long over = partition.past().millis();
    assertThat(session.apply(new Operation.Remember("a", over)).outcomes())
        .containsExactly(new Outcome.OfSchedule(ScheduleOutcome.STORED, over, null));
    partition.expectCounts(0, 0, 0, 0, 0);
    assertThat(session.schedule("a", partition.past()).outcome()).isEqualTo(ScheduleOutcome.STORED);
    assertThat(session.claimOne().attempt()).isEqualTo(1);
  }

  @Test
  default void remember_idWhoseTimeWasOver_remembersItAgain(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    session.schedule("a", partition.past());
    session.ack(session.claimOne(), Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(20));
    long until = partition.far().millis();
    assertThat(session.apply(new Operation.Remember("a", until)).outcomes())
        .containsExactly(new Outcome.OfSchedule(ScheduleOutcome.STORED, until, null));
    partition.expectCounts(0, 0, 0, 0, 1);
    assertThat(session.schedule("a", partition.past()).dueMillis()).isEqualTo(until);
  }

  @Test
  default void remember_betweenOtherOperationsOfItsCall_hasTheOrder(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.DEAD_LETTERS);
    long until = partition.far().millis();
    List<Outcome> outcomes =
        session
            .apply(
                dead("a", partition, 2),
                new Operation.Remember("a", until),
                new Operation.DeleteDead("a"),
                new Operation.Remember("a", until),
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "no"))
            .outcomes();
    assertThat(outcomes.get(1))
        .isEqualTo(
            new Outcome.OfSchedule(
                ScheduleOutcome.REJECTED, partition.past(2).millis(), State.DEAD));
    assertThat(outcomes.get(3))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, until, null));
    assertThat(outcomes.get(4))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.KEPT, until, State.FINISHED));
    partition.expectCounts(0, 0, 0, 0, 1);
  }

  private static Content content(String payload) {
    return Content.of(payload.getBytes(UTF_8));
  }

  private static Operation.Restore dead(String id, TestPartition partition, int attempts) {
    return new Operation.Restore(
        id,
        partition.past(2).millis(),
        attempts,
        "gave up".getBytes(UTF_8),
        partition.past(3).millis(),
        content("dead " + id));
  }

  private static void expectEntry(
      TestPartition partition,
      State state,
      long dueMillis,
      int attempts,
      byte[] history,
      long diedAtMillis,
      Content content) {
    if (partition.has(Capability.BROWSE)) {
      assertThat(partition.entry("a"))
          .usingRecursiveComparison()
          .isEqualTo(
              new Entry(
                  "a", state, content, dueMillis, attempts, history, 0, false, diedAtMillis, null));
    }
  }
}
