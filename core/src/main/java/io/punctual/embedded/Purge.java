package io.punctual.embedded;

import io.punctual.State;
import java.util.BitSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Removes the messages that were in one of the given states at the beginning of the purge, and are
 * in one of them when the purge visits their slots. A message stays if, after the beginning, it was
 * added, replaced or claimed, or moved to a different {@link Place}.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 */
public final class Purge implements SlotScan {
  private final Purges purges;
  private final PartitionTable<?> table;
  private final Set<State> states;
  private final LongSupplier clockMillis;
  private final long begunMillis;
  private final BitSet arrived = new BitSet();
  private long removed;

  Purge(Purges purges, PartitionTable<?> table, Set<State> states, LongSupplier clockMillis) {
    this.purges = purges;
    this.table = table;
    this.states = states;
    this.clockMillis = clockMillis;
    begunMillis = clockMillis.getAsLong();
  }

  void arrived(int slot) {
    arrived.set(slot);
  }

  @Override
  public void visit(int from, int to) {
    boolean complete = false;
    try {
      long nowMillis = clockMillis.getAsLong();
      for (int slot = from; slot < to; slot++) {
        if (!arrived.get(slot) && isIn(slot, nowMillis)) {
          table.remove(slot);
          removed++;
        }
      }
      complete = true;
    } finally {
      if (!complete) {
        purges.end(this);
      }
    }
  }

  private boolean isIn(int slot, long nowMillis) {
    return table.place(slot) != Place.FREE
        && !table.isForgotten(slot, nowMillis)
        && states.contains(table.state(slot, begunMillis))
        && states.contains(table.state(slot, nowMillis));
  }

  /** Ends the purge, and returns how many messages it removed. */
  public long end() {
    purges.end(this);
    return removed;
  }
}
