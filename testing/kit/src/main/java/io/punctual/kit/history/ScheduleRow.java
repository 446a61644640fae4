package io.punctual.kit.history;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.kit.history.HistoryEvent.Answer;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.IdState.Place;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class ScheduleRow implements StateTable.Row {
  private final ScheduleInvoked schedule;
  private final @Nullable ScheduleAnswered answer;
  private final long dueMillis;

  ScheduleRow(ScheduleInvoked schedule, @Nullable Answer answer) {
    this.schedule = schedule;
    this.answer = (ScheduleAnswered) answer;
    dueMillis = schedule.isDelay() ? IdState.UNKNOWN : schedule.millis();
  }

  @Override
  public List<Transition> allowed(IdState state) {
    List<Transition> allowed = new ArrayList<>();
    if (answer == null) {
      allowed.add(Transition.to(state));
    }
    for (ScheduleOutcome outcome : outcomes(state)) {
      if (answer == null) {
        allowed.add(Transition.to(isStored(outcome) ? state.waiting(dueMillis, 0) : state));
      } else if (outcome == answer.outcome() && fits(state, answer)) {
        allowed.add(Transition.to(after(state, answer)));
      }
    }
    return allowed;
  }

  @Override
  public List<Transition> breaking(IdState state) {
    if (answer == null) {
      return List.of();
    }
    return List.of(Transition.breaking(Breach.UNEXPLAINED, implied(state, answer)));
  }

  private List<ScheduleOutcome> outcomes(IdState state) {
    if (!state.isPresent()) {
      return List.of(ScheduleOutcome.STORED);
    } else if (schedule.mode() == IfPresent.REJECT) {
      return List.of(ScheduleOutcome.REJECTED);
    } else if (schedule.mode() == IfPresent.REPLACE
        || state.marked()
        || state.place() == Place.DEAD) {
      return List.of(ScheduleOutcome.REPLACED);
    } else if (schedule.mode() == IfPresent.EARLIEST && state.place() != Place.FINISHED) {
      return earliest(state);
    }
    return List.of(ScheduleOutcome.KEPT);
  }

  private List<ScheduleOutcome> earliest(IdState state) {
    if (state.isLeased()) {
      return List.of(ScheduleOutcome.KEPT);
    } else if (dueMillis == IdState.UNKNOWN || state.dueMillis() == IdState.UNKNOWN) {
      return List.of(ScheduleOutcome.KEPT, ScheduleOutcome.REPLACED);
    }
    return List.of(dueMillis < state.dueMillis() ? ScheduleOutcome.REPLACED : ScheduleOutcome.KEPT);
  }

  private boolean fits(IdState state, ScheduleAnswered answered) {
    long expected = isStored(answered.outcome()) ? dueMillis : state.dueMillis();
    return state.looksLike(answered.previous())
        && (expected == IdState.UNKNOWN || expected == answered.dueMillis());
  }

  private static IdState after(IdState state, ScheduleAnswered answered) {
    return isStored(answered.outcome())
        ? state.waiting(answered.dueMillis(), 0)
        : state.withDue(answered.dueMillis());
  }

  private static IdState implied(IdState state, ScheduleAnswered answered) {
    if (isStored(answered.outcome())) {
      return state.waiting(answered.dueMillis(), 0);
    } else if (state.looksLike(answered.previous()) || answered.previous() == null) {
      return state.withDue(answered.dueMillis());
    }
    IdState there = state.waiting(answered.dueMillis(), state.attempts());
    return switch (answered.previous()) {
      case SCHEDULED, READY -> there;
      case LEASED -> there.leasedUnseen();
      case DEAD -> there.dead();
      case FINISHED -> there.done(answered.dueMillis());
    };
  }

  private static boolean isStored(ScheduleOutcome outcome) {
    return outcome == ScheduleOutcome.STORED || outcome == ScheduleOutcome.REPLACED;
  }
}
