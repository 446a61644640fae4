package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.Claimed;
import java.util.ArrayList;
import java.util.List;

/** The effect of a claim that leased the message, or removed it to deliver it at most once. */
final class ClaimRow implements StateTable.Row {
  private final Claimed claim;

  ClaimRow(Claimed claim) {
    this.claim = claim;
  }

  @Override
  public List<Transition> allowed(IdState state) {
    return breaches(state).isEmpty() ? List.of(Transition.to(leased(state))) : List.of();
  }

  @Override
  public List<Transition> breaking(IdState state) {
    return List.of(new Transition(leased(state), breaches(state)));
  }

  private IdState leased(IdState state) {
    IdState leased =
        state.leased(
            Math.max(state.token(), claim.token()),
            claim.dueMillis(),
            claim.attempt(),
            claim.leasedUntilMillis());
    return claim.taken() ? leased.gone(IdState.Place.REMOVED) : leased;
  }

  private List<Breach> breaches(IdState state) {
    List<Breach> breaches = new ArrayList<>();
    switch (state.place()) {
      case NEVER, VANISHED, DEAD -> breaches.add(Breach.UNEXPLAINED);
      case ACKED, FINISHED -> breaches.add(Breach.AFTER_ACK);
      case REMOVED -> breaches.add(Breach.AFTER_CANCEL);
      case WAITING, LEASED, LEASED_UNSEEN -> addAboutLease(breaches, state);
    }
    if (claim.token() <= state.token()) {
      breaches.add(Breach.LEASED_TWICE);
    }
    return breaches;
  }

  private void addAboutLease(List<Breach> breaches, IdState state) {
    if (state.isWaiting() && isEarly(state)) {
      breaches.add(Breach.EARLY);
    } else if (state.dueMillis() != IdState.UNKNOWN && state.dueMillis() != claim.dueMillis()) {
      breaches.add(Breach.UNEXPLAINED);
    }
    if (state.isLeased() && !state.mayHaveRunOutAt(claim.engineMicros())) {
      breaches.add(Breach.LEASED_TWICE);
    } else if (state.marked()) {
      breaches.add(Breach.AFTER_CANCEL);
    }
    if (claim.attempt() != state.attempts() + 1) {
      breaches.add(Breach.MISCOUNTED);
    }
  }

  /**
   * Returns whether the claim came before the due time of the state or before the due time in the
   * claim's answer.
   */
  private boolean isEarly(IdState state) {
    return !state.isDueAt(claim.engineMicros())
        || !state.withDue(claim.dueMillis()).isDueAt(claim.engineMicros());
  }
}
