package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.Found;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The effect of an inventory, which shows the state of an id and does not change it. */
final class FoundRow implements StateTable.Row {
  private final @Nullable Found found;

  /**
   * Creates the row of an inventory.
   *
   * @param found the message that the inventory found, or null if it found none under the id
   */
  FoundRow(@Nullable Found found) {
    this.found = found;
  }

  @Override
  public List<Transition> allowed(IdState state) {
    boolean agrees =
        state.looksLike(found == null ? null : found.state())
            && (found == null
                || (state.attempts() == found.attempts()
                    && (state.dueMillis() == IdState.UNKNOWN
                        || state.dueMillis() == found.dueMillis())));
    return agrees ? List.of(Transition.to(state)) : List.of();
  }

  @Override
  public List<Transition> breaking(IdState state) {
    if (found == null) {
      return List.of();
    }
    Breach breach =
        switch (state.place()) {
          case ACKED, FINISHED -> Breach.AFTER_ACK;
          case REMOVED -> Breach.AFTER_CANCEL;
          case NEVER, VANISHED -> Breach.UNEXPLAINED;
          case WAITING, LEASED, LEASED_UNSEEN, DEAD ->
              state.looksLike(found.state()) && state.attempts() != found.attempts()
                  ? Breach.MISCOUNTED
                  : Breach.UNEXPLAINED;
        };
    return List.of(Transition.breaking(breach, state));
  }
}
