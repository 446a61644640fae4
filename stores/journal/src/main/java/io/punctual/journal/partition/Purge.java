package io.punctual.journal.partition;

import io.punctual.State;
import io.punctual.embedded.Place;
import io.punctual.embedded.SlotScan;
import io.punctual.journal.index.SlotTable;
import java.util.Set;

/**
 * Removes the messages that are in some states when it begins, unless they have left them by their
 * turn.
 */
final class Purge implements SlotScan {
  private final Journal journal;
  private final PartitionState partition;
  private final JournalTable table;
  private final Set<State> states;
  private final long begunMillis;
  private final long firstLater;
  private long removed;

  Purge(Journal journal, PartitionState partition, JournalTable table, Set<State> states) {
    this.journal = journal;
    this.partition = partition;
    this.table = table;
    this.states = states;
    begunMillis = journal.now().millis();
    firstLater = journal.log().nextSequence();
  }

  long removed() {
    return removed;
  }

  @Override
  public void visit(int from, int to) {
    long nowMillis = journal.now().millis();
    SlotTable slots = partition.slots();
    for (int slot = from; slot < to; slot++) {
      if (slots.place(slot) != Place.FREE
          && slots.sequence(slot) < firstLater
          && isIn(slot, nowMillis)) {
        table.remove(slot);
        removed++;
      }
    }
  }

  private boolean isIn(int slot, long nowMillis) {
    State state = table.state(slot, nowMillis);
    return state == table.state(slot, begunMillis) && states.contains(state);
  }
}
