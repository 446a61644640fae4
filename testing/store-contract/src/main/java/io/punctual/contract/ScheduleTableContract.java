package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.spi.DueTime;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A schedule, in each mode, over an id in each standing. */
interface ScheduleTableContract {
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "SCHEDULED,      KEPT,     SCHEDULED",
    "READY,          KEPT,     READY",
    "LEASED,         KEPT,     LEASED",
    "EXPIRED,        KEPT,     LEASED",
    "MARKED,         REPLACED, LEASED",
    "EXPIRED_MARKED, REPLACED, LEASED",
    "DEAD,           KEPT,     DEAD",
  })
  default void scheduleKeep_eachStanding_keepsWhatIsThere(
      Standing standing,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectCell(partition, standing, IfPresent.KEEP, outcome, previous);
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
  })
  default void scheduleReject_eachStanding_rejectsIfThereIsOne(
      Standing standing,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectCell(partition, standing, IfPresent.REJECT, outcome, previous);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "SCHEDULED,      REPLACED, SCHEDULED",
    "READY,          REPLACED, READY",
    "LEASED,         REPLACED, LEASED",
    "EXPIRED,        REPLACED, LEASED",
    "MARKED,         REPLACED, LEASED",
    "EXPIRED_MARKED, REPLACED, LEASED",
    "DEAD,           REPLACED, DEAD",
  })
  default void scheduleReplace_eachStanding_replacesWhatIsThere(
      Standing standing,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectCell(partition, standing, IfPresent.REPLACE, outcome, previous);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "SCHEDULED,      REPLACED, SCHEDULED",
    "READY,          REPLACED, READY",
    "LEASED,         KEPT,     LEASED",
    "EXPIRED,        KEPT,     LEASED",
    "MARKED,         REPLACED, LEASED",
    "EXPIRED_MARKED, REPLACED, LEASED",
    "DEAD,           REPLACED, DEAD",
  })
  default void scheduleEarliest_eachStandingAndEarlier_replacesAllButLeases(
      Standing standing,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    DueTime earlier = partition.past(-1);
    expect(
        cell.schedule(earlier, IfPresent.EARLIEST),
        outcome,
        previous,
        keptOr(earlier, cell, outcome));
    expectSurvivor(cell, outcome);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "SCHEDULED,      0, KEPT,     SCHEDULED",
    "SCHEDULED,      1, KEPT,     SCHEDULED",
    "READY,          0, KEPT,     READY",
    "READY,          1, KEPT,     READY",
    "LEASED,         1, KEPT,     LEASED",
    "EXPIRED,        1, KEPT,     LEASED",
  })
  default void scheduleEarliest_eachStandingAndNotEarlier_keepsWhatIsThere(
      Standing standing,
      long laterMillis,
      ScheduleOutcome outcome,
      State previous,
      TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    boolean far = standing == Standing.SCHEDULED;
    Outcome.OfSchedule answer =
        cell.schedule(
            far ? partition.far(laterMillis) : partition.past(laterMillis), IfPresent.EARLIEST);
    expect(answer, outcome, previous, far ? partition.far() : partition.past());
    cell.expectUnchanged();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "MARKED,         REPLACED, LEASED",
    "EXPIRED_MARKED, REPLACED, LEASED",
    "DEAD,           REPLACED, DEAD",
  })
  default void scheduleEarliest_eachStandingAndLater_replacesWhatWillNotComeBack(
      Standing standing,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    expect(cell.schedule(partition.far(), IfPresent.EARLIEST), outcome, previous, partition.far());
    cell.expectNewScheduled(partition.far());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"SCHEDULED", "READY", "LEASED", "EXPIRED", "MARKED", "EXPIRED_MARKED", "DEAD"})
  default void scheduleReplace_eachStandingAndLater_waitsForTheNewTime(
      Standing standing, TestPartition partition) {
    Cell cell = new Cell(partition, standing);
    DueTime later = partition.far(7);
    expect(
        cell.schedule(later, IfPresent.REPLACE), ScheduleOutcome.REPLACED, standing.state(), later);
    cell.expectNewScheduled(later);
  }

  private static void expectCell(
      TestPartition partition,
      Standing standing,
      IfPresent mode,
      ScheduleOutcome outcome,
      @Nullable State previous) {
    Cell cell = new Cell(partition, standing);
    DueTime due = partition.past(5);
    DueTime old = standing == Standing.SCHEDULED ? partition.far() : partition.past();
    expect(cell.schedule(due, mode), outcome, previous, isStored(outcome) ? due : old);
    expectSurvivor(cell, outcome);
  }

  private static DueTime keptOr(DueTime due, Cell cell, ScheduleOutcome outcome) {
    return isStored(outcome) ? due : new DueTime(false, cell.held().message().dueMillis());
  }

  private static boolean isStored(ScheduleOutcome outcome) {
    return outcome == ScheduleOutcome.STORED || outcome == ScheduleOutcome.REPLACED;
  }

  private static void expect(
      Outcome.OfSchedule answer, ScheduleOutcome outcome, @Nullable State previous, DueTime due) {
    assertThat(answer).isEqualTo(new Outcome.OfSchedule(outcome, due.millis(), previous));
  }

  private static void expectSurvivor(Cell cell, ScheduleOutcome outcome) {
    if (isStored(outcome)) {
      cell.expectNewReady();
    } else {
      cell.expectUnchanged();
    }
  }
}
