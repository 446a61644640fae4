package io.punctual.journal.index;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's leases, by index and in the order of their ends. Leases are only in memory and end
 * with the process. For the journal's thread alone.
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

  /** Returns the lease with an index. The index must be in use. */
  @SuppressWarnings("NullAway") // An index in use has a lease.
  public Lease get(int index) {
    return byIndex.get(index);
  }

  public void extend(Lease lease, long untilMillis) {
    ends.set(lease.index, untilMillis);
    ends.add(lease.index);
  }

  /**
   * Removes a lease from the order, so that {@link #firstExpired} does not return it before {@link
   * #resume}.
   */
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

  /** The first expired lease, or null if no lease has expired. */
  public @Nullable Lease firstExpired(long nowMillis) {
    int index = ends.first(nowMillis);
    return index == SlotTable.NONE ? null : get(index);
  }

  /**
   * The time at which the next lease ends, or an earlier time; {@link Long#MAX_VALUE} if there are
   * no leases in the order.
   */
  public long earliest() {
    return ends.earliest();
  }

  /** The number of leases, including expired leases. */
  public int size() {
    return byIndex.size() - free.size();
  }

  public void forEach(Consumer<Lease> action) {
    for (Lease lease : new ArrayList<>(byIndex)) {
      if (lease != null) {
        action.accept(lease);
      }
    }
  }
}
