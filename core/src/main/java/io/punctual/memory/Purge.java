package io.punctual.memory;

import io.punctual.State;
import io.punctual.embedded.SlotScan;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Removes the items that are in some states when it begins, unless they have left them by their
 * turn.
 */
final class Purge implements SlotScan {
  private final PartitionState partition;
  private final Set<State> states;
  private final LongSupplier clockMillis;
  private final long begunMillis;
  private final long lastArrival;
  private long removed;

  Purge(PartitionState partition, Set<State> states, LongSupplier clockMillis) {
    this.partition = partition;
    this.states = states;
    this.clockMillis = clockMillis;
    begunMillis = clockMillis.getAsLong();
    lastArrival = partition.arrivals();
  }

  long removed() {
    return removed;
  }

  @Override
  public void visit(int from, int to) {
    long nowMillis = clockMillis.getAsLong();
    for (int slot = from; slot < to; slot++) {
      Item item = partition.items().at(slot);
      if (item != null && item.arrival <= lastArrival && isIn(item, nowMillis)) {
        partition.remove(item);
        removed++;
      }
    }
  }

  private boolean isIn(Item item, long nowMillis) {
    return states.contains(item.state(begunMillis)) && states.contains(item.state(nowMillis));
  }
}
