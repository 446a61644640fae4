package io.punctual.kit.history;

import io.punctual.SettleOutcome;
import io.punctual.kit.history.HistoryEvent.Answer;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import io.punctual.kit.history.IdState.Place;
import io.punctual.spi.DueTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class SettlementRow implements StateTable.Row {
  private final SettlementInvoked settlement;
  private final @Nullable SettleOutcome outcome;
  private final long engineMicros;

  SettlementRow(SettlementInvoked settlement, @Nullable Answer answer) {
    this.settlement = settlement;
    if (answer instanceof SettlementAnswered answered) {
      outcome = answered.outcome();
      engineMicros = answered.engineMicros();
    } else {
      outcome = null;
      engineMicros = HistoryEvent.NO_TIME;
    }
  }

  @Override
  public List<Transition> allowed(IdState state) {
    boolean held = state.isLeasedUnder(settlement.token());
    if (outcome == null) {
      Transition none = Transition.to(state);
      return held ? List.of(none, Transition.to(effect(state))) : List.of(none);
    } else if (!held) {
      return outcome == SettleOutcome.LEASE_LOST ? List.of(Transition.to(state)) : List.of();
    }
    return outcome == expected(state) ? List.of(Transition.to(effect(state))) : List.of();
  }

  @Override
  public List<Transition> breaking(IdState state) {
    if (outcome == SettleOutcome.LEASE_LOST) {
      return List.of(Transition.breaking(Breach.UNEXPLAINED, state));
    }
    boolean held = state.isLeasedUnder(settlement.token());
    Breach breach = held ? Breach.UNEXPLAINED : Breach.STALE_ACCEPTED;
    return List.of(Transition.breaking(breach, state), Transition.breaking(breach, effect(state)));
  }

  private SettleOutcome expected(IdState state) {
    if (!state.marked() || settlement.kind() == SettlementKind.ACK) {
      return SettleOutcome.DONE;
    }
    boolean extended = settlement.kind() == SettlementKind.EXTEND;
    return extended ? SettleOutcome.CANCELLED : SettleOutcome.DISCARDED;
  }

  private IdState effect(IdState state) {
    if (expected(state) == SettleOutcome.DISCARDED) {
      return state.gone(Place.REMOVED);
    }
    return switch (settlement.kind()) {
      case ACK ->
          settlement.millis() > 0
              ? state.done(afterNow(settlement.millis()))
              : state.gone(Place.ACKED);
      case RETRY -> state.waiting(newDue(), state.attempts());
      case BURY -> state.dead();
      case EXTEND -> state.extended(afterNow(settlement.millis()));
      case RELEASE -> state.waiting(state.dueMillis(), Math.max(0, state.attempts() - 1));
      case REPEAT -> state.waiting(newDue(), 0);
      case DEFER -> state.waiting(newDue(), Math.max(0, state.attempts() - 1));
    };
  }

  private long newDue() {
    return settlement.isDelay() && engineMicros == HistoryEvent.NO_TIME
        ? IdState.UNKNOWN
        : new DueTime(settlement.isDelay(), settlement.millis()).atMillis(engineMicros);
  }

  private long afterNow(long millis) {
    return engineMicros == HistoryEvent.NO_TIME
        ? IdState.UNKNOWN
        : Math.floorDiv(engineMicros + 999, 1000) + millis;
  }
}
