package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.CancelInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.DeleteDeadInvoked;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.RedriveAllInvoked;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.kit.history.HistoryEvent.RescheduleInvoked;
import io.punctual.kit.history.HistoryEvent.RunNowInvoked;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.IdState.Place;
import java.util.ArrayList;
import java.util.List;

/**
 * The state table: the observable effects of each kind of step in each state of an id. A step has
 * correct effects in each state that allows the step. In any other state, it has effects with
 * breaches.
 */
final class StateTable {
  private StateTable() {}

  /** Returns the possible effects of the step in this state; never empty. */
  static List<Transition> apply(IdState state, Step step) {
    Row row = row(step);
    List<Transition> allowed = new ArrayList<>(row.allowed(state));
    if (state.marked()) {
      allowed.addAll(row.allowed(state.gone(Place.REMOVED)));
    }
    if (!allowed.isEmpty()) {
      return allowed;
    }
    List<Transition> breaking = new ArrayList<>(row.breaking(state));
    if (state.isPresent()) {
      for (Transition without : row.allowed(state.gone(Place.VANISHED))) {
        breaking.add(Transition.breaking(Breach.LOST, without.next()));
      }
    }
    return breaking;
  }

  /** A kind of step, with its answer. */
  interface Row {
    /** Returns the correct effects of the step in this state; empty if the step is not allowed. */
    List<Transition> allowed(IdState state);

    /** Returns the effects in a state that does not allow the step; may be empty. */
    List<Transition> breaking(IdState state);
  }

  private static Row row(Step step) {
    HistoryEvent event = step.event();
    if (event instanceof Claimed claimed) {
      return new ClaimRow(claimed);
    } else if (event instanceof SettlementInvoked settlement) {
      return new SettlementRow(settlement, step.answer());
    } else if (event instanceof ScheduleInvoked schedule) {
      return new ScheduleRow(schedule, step.answer());
    } else if (event instanceof Found || event instanceof InventoryBegan) {
      return new FoundRow(event instanceof Found found ? found : null);
    }
    return ChangeRow.of(change(event), step.answer());
  }

  private static ChangeRow.Change change(HistoryEvent event) {
    if (event instanceof CancelInvoked) {
      return ChangeRow::cancel;
    } else if (event instanceof RescheduleInvoked reschedule) {
      long due = reschedule.isDelay() ? IdState.UNKNOWN : reschedule.millis();
      return state -> ChangeRow.reschedule(state, due);
    } else if (event instanceof RunNowInvoked) {
      return state -> ChangeRow.reschedule(state, IdState.UNKNOWN);
    } else if (event instanceof RedriveInvoked) {
      return state -> ChangeRow.ofDead(state, state.waiting(IdState.UNKNOWN, 0));
    } else if (event instanceof DeleteDeadInvoked) {
      return state -> ChangeRow.ofDead(state, state.gone(Place.REMOVED));
    } else if (event instanceof RedriveAllInvoked) {
      return ChangeRow::redriveAll;
    } else if (event instanceof PurgeInvoked purge) {
      return state -> ChangeRow.purge(state, List.of(purge.states().split(",")));
    }
    throw new IllegalArgumentException("The event does not change an id: " + event);
  }
}
