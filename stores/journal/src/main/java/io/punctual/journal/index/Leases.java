package io.punctual.journal.index;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's leases, by index and in order of their ends. They live in memory and end with the
 * process. For the journal's thread alone.
 */
public final class Leases {
  private final List<@Nullable Lease> byIndex = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();
  private final DueOrder ends;

  public Leases(long nowMillis) {
    ends = new DueOrder(nowMillis);
  }

  public void add(Lease lease, long untilMillis) {
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
  public Lease get(int index) {
    return byIndex.get(index);
  }

  public void extend(Lease lease, long untilMillis) {
    ends.set(lease.index, untilMillis);
    ends.add(lease.index);
  }

  /** Takes a lease out of the order; it is not found as expired until {@link #resume}. */
  public void suspend(Lease lease) {
    ends.remove(lease.index);
  }

  public void resume(Lease lease) {
    ends.add(lease.index);
  }

  public void remove(Lease lease) {
    ends.remove(lease.index);
    byIndex.set(lease.index, null);
    free.add(lease.index);
  }

  public long untilMillis(Lease lease) {
    return ends.millis(lease.index);
  }

  /** The first expired lease, or null. */
  public @Nullable Lease firstExpired(long nowMillis) {
    int index = ends.first(nowMillis);
    return index == SlotTable.NONE ? null : get(index);
  }

  /** When the next lease ends, or {@link Long#MAX_VALUE}. */
  public long earliest() {
    return ends.earliest();
  }

  public void forEach(Consumer<Lease> action) {
    for (Lease lease : new ArrayList<>(byIndex)) {
      if (lease != null) {
        action.accept(lease);
      }
    }
  }
}
