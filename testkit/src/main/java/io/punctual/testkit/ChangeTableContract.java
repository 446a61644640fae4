package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cancel, reschedule, run now, redrive and delete, over an id in each standing. */
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
  })
  default void cancel_eachStanding_removesOrMarks(
      Standing standing, CancelOutcome outcome, TestLane lane) {
    lane.needs(Capability.CANCEL);
    Cell cell = new Cell(lane, standing);
    assertThat(cell.session().cancel(Standing.ID)).isEqualTo(outcome);
    switch (outcome) {
      case CANCELLED, NOT_FOUND -> cell.expectGone();
      case DEAD -> cell.expectUnchanged();
      case RUNNING -> expectMarked(lane, cell);
    }
  }

  private static void expectMarked(TestLane lane, Cell cell) {
    lane.expectCounts(0, 0, 1, 0);
    if (lane.has(Capability.BROWSE)) {
      Entry entry = lane.entry(Standing.ID);
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
  })
  default void reschedule_eachStanding_movesOnlyWhatWaits(
      Standing standing, RescheduleOutcome outcome, TestLane lane) {
    lane.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(lane, standing);
    DueTime due = lane.past(-7);
    assertThat(cell.session().reschedule(Standing.ID, due)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      expectDue(lane, due.millis());
      cell.expectOldReady(2, Standing.HISTORY);
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
  })
  default void runNow_eachStanding_hurriesOnlyWhatWaits(
      Standing standing, RescheduleOutcome outcome, TestLane lane) {
    lane.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(lane, standing);
    long before = cell.session().nowMicros();
    assertThat(cell.session().runNow(Standing.ID)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      lane.advance(Duration.ofMillis(1));
      expectRunsNow(lane, standing, before);
      cell.expectOldReady(2, Standing.HISTORY);
    } else {
      cell.expectUnchanged();
    }
  }

  private static void expectRunsNow(TestLane lane, Standing standing, long beforeMicros) {
    if (standing == Standing.READY) {
      expectDue(lane, lane.past().millis());
    } else if (lane.has(Capability.BROWSE)) {
      assertThat(lane.entry(Standing.ID).dueMillis())
          .isBetween(DueTime.NOW.atMillis(beforeMicros), lane.session().nowMicros() / 1000);
    }
  }

  private static void expectDue(TestLane lane, long dueMillis) {
    if (lane.has(Capability.BROWSE)) {
      assertThat(lane.entry(Standing.ID).dueMillis()).isEqualTo(dueMillis);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"SCHEDULED", "READY"})
  default void reschedule_waitingAndLater_waitsForTheNewTime(Standing standing, TestLane lane) {
    lane.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(lane, standing);
    DueTime later = lane.far(9);
    assertThat(cell.session().reschedule(Standing.ID, later))
        .isEqualTo(RescheduleOutcome.RESCHEDULED);
    lane.expectCounts(1, 0, 0, 0);
    assertThat(cell.session().claimIds()).isEmpty();
    expectDue(lane, later.millis());
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
  default void redrive_eachStanding_revivesOnlyDeadLetters(
      Standing standing, DeadLetterOutcome outcome, TestLane lane) {
    lane.needs(Capability.DEAD_LETTERS);
    Cell cell = new Cell(lane, standing);
    assertThat(cell.session().redrive(Standing.ID)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      lane.advance(Duration.ofMillis(1));
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
  })
  default void deleteDead_eachStanding_removesOnlyDeadLetters(
      Standing standing, DeadLetterOutcome outcome, TestLane lane) {
    lane.needs(Capability.DEAD_LETTERS);
    Cell cell = new Cell(lane, standing);
    assertThat(cell.session().deleteDead(Standing.ID)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      cell.expectGone();
    } else {
      cell.expectUnchanged();
    }
  }
}
