package io.punctual.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's leases, by index and in order of their ends. They live in memory: when the process
 * ends, so do they. For the engine's thread alone.
 */
final class Leases {
  private final List<@Nullable Lease> byIndex = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();
  private final DueOrder ends;

  Leases(long nowMillis) {
    ends = new DueOrder(nowMillis);
  }

  void add(Lease lease, long untilMillis) {
    if (free.isEmpty()) {
      lease.index = byIndex.size();
      byIndex.add(lease);
    } else {
      lease.index = free.remove(free.size() - 1);
      byIndex.set(lease.index, lease);
    }
    extend(lease, untilMillis);
  }

  /** The lease with an index that is in use. */
  @SuppressWarnings("NullAway") // An index in use has a lease.
  Lease get(int index) {
    return byIndex.get(index);
  }

  void extend(Lease lease, long untilMillis) {
    ends.set(lease.index, untilMillis);
    ends.add(lease.index);
  }

  /** Takes a lease out of the order; it is not found as expired until {@link #resume}. */
  void suspend(Lease lease) {
    ends.remove(lease.index);
  }

  void resume(Lease lease) {
    ends.add(lease.index);
  }

  void remove(Lease lease) {
    ends.remove(lease.index);
    byIndex.set(lease.index, null);
    free.add(lease.index);
  }

  long untilMillis(Lease lease) {
    return ends.millis(lease.index);
  }

  /** The lease that ran out first, if one has by now. */
  @Nullable Lease firstExpired(long nowMillis) {
    int index = ends.first(nowMillis);
    return index == SlotTable.NONE ? null : get(index);
  }

  /** When the next one runs out, or {@link Long#MAX_VALUE}. */
  long earliest() {
    return ends.earliest();
  }

  void forEach(Consumer<Lease> action) {
    for (Lease lease : new ArrayList<>(byIndex)) {
      if (lease != null) {
        action.accept(lease);
      }
    }
  }
}
