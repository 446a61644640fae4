package io.punctual.kit.history;

import org.jspecify.annotations.Nullable;

/**
 * An action that took effect on an id between two times, or that may have taken effect.
 *
 * @param event the invocation, or a {@link HistoryEvent.Claimed} or {@link HistoryEvent.Found}, or
 *     the {@link HistoryEvent.InventoryBegan} of an inventory that lacks the id
 * @param answer the answer, or null if it is unknown or the event needs no answer
 * @param from the earliest time of the effect
 * @param to the latest time of the effect, {@link #NEVER} without an answer
 */
record Step(HistoryEvent event, HistoryEvent.@Nullable Answer answer, long from, long to) {
  static final long NEVER = Long.MAX_VALUE;

  /** Returns a description of the step for people. */
  String describe() {
    return answer == null ? event.toString() : event + " -> " + answer;
  }
}
