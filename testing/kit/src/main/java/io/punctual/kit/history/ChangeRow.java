package io.punctual.kit.history;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.kit.history.HistoryEvent.Answer;
import io.punctual.kit.history.HistoryEvent.CancelAnswered;
import io.punctual.kit.history.HistoryEvent.DeadLetterAnswered;
import io.punctual.kit.history.HistoryEvent.RescheduleAnswered;
import io.punctual.kit.history.IdState.Place;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a cancel, a reschedule, a run now, a redrive or a deletion, each of which has
 * exactly one outcome in each state. A change of a whole queue, and a change without an answer, may
 * or may not have affected the id.
 */
final class ChangeRow implements StateTable.Row {
  private final Change change;
  private final @Nullable Object outcome;
  private final boolean isOptional;

  private ChangeRow(Change change, @Nullable Object outcome, boolean isOptional) {
    this.change = change;
    this.outcome = outcome;
    this.isOptional = isOptional;
  }

  /** The effect of a change in each state. */
  @FunctionalInterface
  interface Change {
    Effect in(IdState state);
  }

  /**
   * The outcome of a change and the state after it.
   *
   * @param outcome the outcome; null for a change of a whole queue, whose answer has no outcome for
   *     each id
   */
  record Effect(@Nullable Object outcome, IdState next) {}

  static ChangeRow of(Change change, @Nullable Answer answer) {
    Object outcome = null;
    if (answer instanceof CancelAnswered cancel) {
      outcome = cancel.outcome();
    } else if (answer instanceof RescheduleAnswered reschedule) {
      outcome = reschedule.outcome();
    } else if (answer instanceof DeadLetterAnswered deadLetter) {
      outcome = deadLetter.outcome();
    }
    return new ChangeRow(change, outcome, outcome == null);
  }

  @Override
  public List<Transition> allowed(IdState state) {
    Effect effect = change.in(state);
    if (isOptional) {
      return effect.next().equals(state)
          ? List.of(Transition.to(state))
          : List.of(Transition.to(state), Transition.to(effect.next()));
    }
    return effect.outcome() == outcome ? List.of(Transition.to(effect.next())) : List.of();
  }

  @Override
  public List<Transition> breaking(IdState state) {
    return Stream.of(
            state.waiting(IdState.UNKNOWN, state.attempts()),
            state.waiting(IdState.UNKNOWN, state.attempts()).leasedUnseen(),
            state.dead(),
            state.gone(Place.REMOVED))
        .map(change::in)
        .filter(effect -> effect.outcome() == outcome)
        .map(effect -> Transition.breaking(Breach.UNEXPLAINED, effect.next()))
        .toList();
  }

  static Effect cancel(IdState state) {
    if (state.isWaiting()) {
      return new Effect(CancelOutcome.CANCELLED, state.gone(Place.REMOVED));
    } else if (state.isLeased()) {
      return new Effect(CancelOutcome.RUNNING, state.withMark());
    }
    return new Effect(
        state.place() == Place.DEAD ? CancelOutcome.DEAD : CancelOutcome.NOT_FOUND, state);
  }

  static Effect reschedule(IdState state, long due) {
    if (state.isWaiting()) {
      return new Effect(RescheduleOutcome.RESCHEDULED, state.withDue(due));
    } else if (state.isLeased()) {
      return new Effect(RescheduleOutcome.RUNNING, state);
    }
    return new Effect(
        state.place() == Place.DEAD ? RescheduleOutcome.DEAD : RescheduleOutcome.NOT_FOUND, state);
  }

  static Effect ofDead(IdState state, IdState next) {
    if (state.place() == Place.DEAD) {
      return new Effect(DeadLetterOutcome.DONE, next);
    }
    boolean isAbsent = !state.isPresent() || state.place() == Place.FINISHED;
    return new Effect(isAbsent ? DeadLetterOutcome.NOT_FOUND : DeadLetterOutcome.NOT_DEAD, state);
  }

  static Effect redriveAll(IdState state) {
    boolean dead = state.place() == Place.DEAD;
    return new Effect(null, dead ? state.waiting(IdState.UNKNOWN, 0) : state);
  }

  static Effect purge(IdState state, List<String> states) {
    boolean met =
        state.isPresent()
            && states.stream().map(State::valueOf).anyMatch(purged -> state.looksLike(purged));
    return new Effect(null, met ? state.gone(Place.REMOVED) : state);
  }
}
