package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a cancel, a reschedule, a run now, a change of a message that still waits, and the redrive
 * and deletion of a dead letter, for an id in the {@linkplain InitialState initial states}.
 */
interface ChangeTableContract {
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      CANCELLED",
    "READY,          CANCELLED",
    "LEASED,         RUNNING",
    "EXPIRED,        RUNNING",
    "MARKED,         RUNNING",
    "EXPIRED_MARKED, RUNNING",
    "DEAD,           DEAD",
    "FINISHED,       NOT_FOUND",
  })
  default void cancel_eachInitialState_removesOrMarks(
      InitialState state, CancelOutcome outcome, TestPartition partition) {
    partition.needs(Capability.CANCEL);
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().cancel(InitialState.ID)).isEqualTo(outcome);
    switch (outcome) {
      case CANCELLED -> cell.expectGone();
      case DEAD, NOT_FOUND -> cell.expectUnchanged();
      case RUNNING -> expectMarked(partition, cell);
    }
  }

  private static void expectMarked(TestPartition partition, StateTableCell cell) {
    partition.expectCounts(0, 0, 1, 0);
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(InitialState.ID);
      assertThat(entry.cancelled()).isTrue();
      assertThat(entry.leasedUntilMillis()).isEqualTo(cell.held().leasedUntilMillis());
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      RESCHEDULED",
    "READY,          RESCHEDULED",
    "LEASED,         RUNNING",
    "EXPIRED,        RUNNING",
    "MARKED,         RUNNING",
    "EXPIRED_MARKED, RUNNING",
    "DEAD,           DEAD",
    "FINISHED,       NOT_FOUND",
  })
  default void reschedule_eachInitialState_movesOnlyPendingMessages(
      InitialState state, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime due = partition.past(-7);
    assertThat(cell.session().reschedule(InitialState.ID, due)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      expectDue(partition, due.millis());
      cell.expectOldReady(2, InitialState.HISTORY);
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      RESCHEDULED",
    "READY,          RESCHEDULED",
    "LEASED,         RUNNING",
    "EXPIRED,        RUNNING",
    "MARKED,         RUNNING",
    "EXPIRED_MARKED, RUNNING",
    "DEAD,           DEAD",
    "FINISHED,       NOT_FOUND",
  })
  default void runNow_eachInitialState_advancesOnlyPendingMessages(
      InitialState state, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    StateTableCell cell = new StateTableCell(partition, state);
    long before = cell.session().nowMicros();
    assertThat(cell.session().runNow(InitialState.ID)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      partition.advance(Duration.ofMillis(1));
      expectRunsNow(partition, state, before);
      cell.expectOldReady(2, InitialState.HISTORY);
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      RESCHEDULED",
    "READY,          RESCHEDULED",
    "LEASED,         RUNNING",
    "EXPIRED,        RUNNING",
    "MARKED,         RUNNING",
    "EXPIRED_MARKED, RUNNING",
    "DEAD,           DEAD",
    "FINISHED,       NOT_FOUND",
  })
  default void changeWaiting_eachInitialState_movesOnlyPendingMessages(
      InitialState state, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime due = partition.past(-7);
    assertThat(cell.session().changeWaiting(InitialState.ID, cell.oldDue(), due))
        .isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      expectDue(partition, due.millis());
      assertThat(cell.session().changeWaiting(InitialState.ID, cell.oldDue(), partition.far()))
          .as("the same change once more")
          .isEqualTo(RescheduleOutcome.NOT_FOUND);
      cell.expectOldReady(2, InitialState.HISTORY);
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      RESCHEDULED",
    "READY,          RESCHEDULED",
    "LEASED,         RUNNING",
    "EXPIRED,        RUNNING",
    "MARKED,         RUNNING",
    "EXPIRED_MARKED, RUNNING",
    "DEAD,           DEAD",
    "FINISHED,       NOT_FOUND",
  })
  default void changeWaiting_withoutNewDueTime_removesOnlyPendingMessages(
      InitialState state, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.CANCEL);
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().changeWaiting(InitialState.ID, cell.oldDue(), null))
        .isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      cell.expectGone();
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY"})
  default void changeWaiting_rescheduledSinceTheListing_notFoundAndUnchanged(
      InitialState state, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime listed = new DueTime(false, cell.oldDue().millis() - 1);
    assertThat(cell.session().changeWaiting(InitialState.ID, listed, partition.past(-7)))
        .isEqualTo(RescheduleOutcome.NOT_FOUND);
    assertThat(cell.session().changeWaiting(InitialState.ID, listed, null))
        .isEqualTo(RescheduleOutcome.NOT_FOUND);
    cell.expectUnchanged();
  }

  private static void expectRunsNow(
      TestPartition partition, InitialState state, long beforeMicros) {
    if (state == InitialState.READY) {
      expectDue(partition, partition.past().millis());
    } else if (partition.has(Capability.BROWSE)) {
      assertThat(partition.entry(InitialState.ID).dueMillis())
          .isBetween(DueTime.NOW.atMillis(beforeMicros), partition.session().nowMicros() / 1000);
    }
  }

  private static void expectDue(TestPartition partition, long dueMillis) {
    if (partition.has(Capability.BROWSE)) {
      assertThat(partition.entry(InitialState.ID).dueMillis()).isEqualTo(dueMillis);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"SCHEDULED", "READY"})
  default void reschedule_waitingAndLater_waitsForTheNewTime(
      InitialState state, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime later = partition.far(9);
    assertThat(cell.session().reschedule(InitialState.ID, later))
        .isEqualTo(RescheduleOutcome.RESCHEDULED);
    partition.expectCounts(1, 0, 0, 0);
    assertThat(cell.session().claimIds()).isEmpty();
    expectDue(partition, later.millis());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      NOT_DEAD",
    "READY,          NOT_DEAD",
    "LEASED,         NOT_DEAD",
    "EXPIRED,        NOT_DEAD",
    "MARKED,         NOT_DEAD",
    "EXPIRED_MARKED, NOT_DEAD",
    "DEAD,           DONE",
    "FINISHED,       NOT_FOUND",
  })
  default void redrive_eachInitialState_revivesOnlyDeadLetters(
      InitialState state, DeadLetterOutcome outcome, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().redrive(InitialState.ID)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      partition.advance(Duration.ofMillis(1));
      cell.expectOldReady(1, "");
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      NOT_DEAD",
    "READY,          NOT_DEAD",
    "LEASED,         NOT_DEAD",
    "EXPIRED,        NOT_DEAD",
    "MARKED,         NOT_DEAD",
    "EXPIRED_MARKED, NOT_DEAD",
    "DEAD,           DONE",
    "FINISHED,       NOT_FOUND",
  })
  default void redrive_withNewContentEachInitialState_replacesOnlyDeadLetters(
      InitialState state, DeadLetterOutcome outcome, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    StateTableCell cell = new StateTableCell(partition, state);
    Content content = Content.of(InitialState.NEW.getBytes(StandardCharsets.UTF_8));
    assertThat(cell.session().redrive(InitialState.ID, content)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      partition.advance(Duration.ofMillis(1));
      cell.expectNewReady();
    } else {
      cell.expectUnchanged();
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         NOT_FOUND",
    "SCHEDULED,      NOT_DEAD",
    "READY,          NOT_DEAD",
    "LEASED,         NOT_DEAD",
    "EXPIRED,        NOT_DEAD",
    "MARKED,         NOT_DEAD",
    "EXPIRED_MARKED, NOT_DEAD",
    "DEAD,           DONE",
  })
  default void deleteDead_eachInitialState_removesOnlyDeadLetters(
      InitialState state, DeadLetterOutcome outcome, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().deleteDead(InitialState.ID)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      cell.expectGone();
    } else {
      cell.expectUnchanged();
    }
  }
}
