package io.punctual.contract;

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
      Standing standing, CancelOutcome outcome, TestPartition partition) {
    partition.needs(Capability.CANCEL);
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().cancel(Standing.ID)).isEqualTo(outcome);
    switch (outcome) {
      case CANCELLED, NOT_FOUND -> cell.expectGone();
      case DEAD -> cell.expectUnchanged();
      case RUNNING -> expectMarked(partition, cell);
    }
  }

  private static void expectMarked(TestPartition partition, Cell cell) {
    partition.expectCounts(0, 0, 1, 0);
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry(Standing.ID);
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
      Standing standing, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(partition, standing);
    DueTime due = partition.past(-7);
    assertThat(cell.session().reschedule(Standing.ID, due)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      expectDue(partition, due.millis());
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
      Standing standing, RescheduleOutcome outcome, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(partition, standing);
    long before = cell.session().nowMicros();
    assertThat(cell.session().runNow(Standing.ID)).isEqualTo(outcome);
    if (outcome == RescheduleOutcome.RESCHEDULED) {
      partition.advance(Duration.ofMillis(1));
      expectRunsNow(partition, standing, before);
      cell.expectOldReady(2, Standing.HISTORY);
    } else {
      cell.expectUnchanged();
    }
  }

  private static void expectRunsNow(TestPartition partition, Standing standing, long beforeMicros) {
    if (standing == Standing.READY) {
      expectDue(partition, partition.past().millis());
    } else if (partition.has(Capability.BROWSE)) {
      assertThat(partition.entry(Standing.ID).dueMillis())
          .isBetween(DueTime.NOW.atMillis(beforeMicros), partition.session().nowMicros() / 1000);
    }
  }

  private static void expectDue(TestPartition partition, long dueMillis) {
    if (partition.has(Capability.BROWSE)) {
      assertThat(partition.entry(Standing.ID).dueMillis()).isEqualTo(dueMillis);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"SCHEDULED", "READY"})
  default void reschedule_waitingAndLater_waitsForTheNewTime(
      Standing standing, TestPartition partition) {
    partition.needs(Capability.RESCHEDULE);
    Cell cell = new Cell(partition, standing);
    DueTime later = partition.far(9);
    assertThat(cell.session().reschedule(Standing.ID, later))
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
  })
  default void redrive_eachStanding_revivesOnlyDeadLetters(
      Standing standing, DeadLetterOutcome outcome, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().redrive(Standing.ID)).isEqualTo(outcome);
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
  })
  default void deleteDead_eachStanding_removesOnlyDeadLetters(
      Standing standing, DeadLetterOutcome outcome, TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS);
    Cell cell = new Cell(partition, standing);
    assertThat(cell.session().deleteDead(Standing.ID)).isEqualTo(outcome);
    if (outcome == DeadLetterOutcome.DONE) {
      cell.expectGone();
    } else {
      cell.expectUnchanged();
    }
  }
}
