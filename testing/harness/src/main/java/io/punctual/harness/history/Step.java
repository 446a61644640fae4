package io.punctual.harness.history;

import org.jspecify.annotations.Nullable;

/**
 * Something that took effect on one id at one moment between two times, or may have.
 *
 * @param event what was invoked, or a {@link HistoryEvent.Claimed} or {@link HistoryEvent.Found},
 *     or the {@link HistoryEvent.InventoryBegan} of an inventory in which the id is missing
 * @param answer the answer, or null if it is not known or the event says all
 * @param from the earliest time of the effect
 * @param to the latest time of the effect, {@link #NEVER} without an answer
 */
record Step(HistoryEvent event, HistoryEvent.@Nullable Answer answer, long from, long to) {
  static final long NEVER = Long.MAX_VALUE;

  /** Returns it in words, for people to read. */
  String describe() {
    return answer == null ? event.toString() : event + " -> " + answer;
  }
}
