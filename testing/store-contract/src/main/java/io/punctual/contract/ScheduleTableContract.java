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

/** Tests a schedule, in each mode, for an id in each initial state. */
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
    "DEAD,           REPLACED, DEAD",
    "FINISHED,       KEPT,     FINISHED",
  })
  default void scheduleKeep_eachInitialState_keepsAllButDeadAndCancelledMessages(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectOutcome(partition, state, IfPresent.KEEP, outcome, previous);
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
  default void scheduleReject_eachInitialState_rejectsAPresentId(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectOutcome(partition, state, IfPresent.REJECT, outcome, previous);
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
    "FINISHED,       REPLACED, FINISHED",
  })
  default void scheduleReplace_eachInitialState_replacesTheMessage(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    expectOutcome(partition, state, IfPresent.REPLACE, outcome, previous);
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
    "FINISHED,       KEPT,     FINISHED",
  })
  default void scheduleEarliest_eachInitialStateAndEarlier_replacesAllButLeases(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
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
    "FINISHED,       1, KEPT,     FINISHED",
  })
  default void scheduleEarliest_eachInitialStateAndNotEarlier_keepsTheMessage(
      InitialState state,
      long laterMillis,
      ScheduleOutcome outcome,
      State previous,
      TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    boolean far = state == InitialState.SCHEDULED;
    Outcome.OfSchedule answer =
        cell.schedule(
            far ? partition.far(laterMillis) : partition.past(laterMillis), IfPresent.EARLIEST);
    expect(answer, outcome, previous, cell.oldDue());
    cell.expectUnchanged();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         STORED,",
    "MARKED,         REPLACED, LEASED",
    "EXPIRED_MARKED, REPLACED, LEASED",
    "DEAD,           REPLACED, DEAD",
  })
  default void scheduleEarliest_eachInitialStateAndLater_replacesDeadAndCancelledMessages(
      InitialState state,
      ScheduleOutcome outcome,
      @Nullable State previous,
      TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    expect(cell.schedule(partition.far(), IfPresent.EARLIEST), outcome, previous, partition.far());
    cell.expectNewScheduled(partition.far());
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
  default void scheduleReplace_eachInitialStateAndLater_waitsForTheNewTime(
      InitialState state, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime later = partition.far(7);
    expect(cell.schedule(later, IfPresent.REPLACE), ScheduleOutcome.REPLACED, state.state(), later);
    cell.expectNewScheduled(later);
  }

  private static void expectOutcome(
      TestPartition partition,
      InitialState state,
      IfPresent mode,
      ScheduleOutcome outcome,
      @Nullable State previous) {
    StateTableCell cell = new StateTableCell(partition, state);
    DueTime due = partition.past(5);
    expect(cell.schedule(due, mode), outcome, previous, isStored(outcome) ? due : cell.oldDue());
    expectSurvivor(cell, outcome);
  }

  private static DueTime keptOr(DueTime due, StateTableCell cell, ScheduleOutcome outcome) {
    return isStored(outcome) ? due : cell.oldDue();
  }

  private static boolean isStored(ScheduleOutcome outcome) {
    return outcome == ScheduleOutcome.STORED || outcome == ScheduleOutcome.REPLACED;
  }

  private static void expect(
      Outcome.OfSchedule answer, ScheduleOutcome outcome, @Nullable State previous, DueTime due) {
    assertThat(answer).isEqualTo(new Outcome.OfSchedule(outcome, due.millis(), previous));
  }

  private static void expectSurvivor(StateTableCell cell, ScheduleOutcome outcome) {
    if (isStored(outcome)) {
      cell.expectNewReady();
    } else {
      cell.expectUnchanged();
    }
  }
}
