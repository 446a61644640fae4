package io.punctual.internal.partition;

import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.ShareLedger.Kind;
import io.punctual.spi.ShareLedger.Transfers;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Plans which partitions of a queue give shares of its limits to other partitions. A transfer has
 * two steps: the giver notes the total that it has given, which lowers its share; then the receiver
 * notes the same total as received. For shares of the concurrency, the receiver waits until the
 * giver has reported no more leased messages than its lower share allows. So the sum of the shares
 * never exceeds the limits, even if a step is lost. A plan also completes the transfers that other
 * clients began, and repeats a first step that a fail-over has lost.
 *
 * <p>Used by one thread.
 */
final class SharePlan {
  private final int partitions;
  private final SortedMap<Integer, LimitUse> uses;
  private final SortedMap<Integer, ShareLedger> next = new TreeMap<>();

  /**
   * Creates a plan that completes transfers.
   *
   * @param partitions the queue's number of partitions
   * @param uses the uses of the partitions that answered, by index
   */
  SharePlan(int partitions, SortedMap<Integer, LimitUse> uses) {
    this.partitions = partitions;
    this.uses = uses;
    uses.forEach((index, use) -> next.put(index, completed(index, use.ledger())));
  }

  /** Returns the new ledgers of the partitions whose ledgers change. */
  Map<Integer, ShareLedger> changes() {
    Map<Integer, ShareLedger> changes = new HashMap<>(next);
    uses.forEach((index, use) -> changes.remove(index, use.ledger()));
    return changes;
  }

  private ShareLedger completed(int index, ShareLedger ledger) {
    ShareLedger completed = ledger;
    for (Kind kind : Kind.values()) {
      Transfers transfers = ledger.of(kind);
      for (Map.Entry<Integer, LimitUse> other : uses.entrySet()) {
        Transfers theirs = other.getValue().ledger().of(kind);
        transfers = transfers.withGiven(other.getKey(), theirs.receivedFrom(index));
        if (kind == Kind.RATE || hasFreed(other.getValue())) {
          transfers = transfers.withReceived(other.getKey(), theirs.givenTo(index));
        }
      }
      completed = completed.with(kind, transfers);
    }
    return completed;
  }

  /** Returns whether the partition's leased messages fit into the share that it has kept. */
  private boolean hasFreed(LimitUse use) {
    return use.leased() <= LimitShare.of(use.limits(), use.ledger(), partitions).concurrency();
  }

  /**
   * Adds transfers from partitions that need less than their share to partitions whose shares
   * prevent claims.
   */
  void give(ShareNeeds needs) {
    for (Kind kind : Kind.values()) {
      SortedMap<Integer, Long> excess = new TreeMap<>();
      SortedMap<Integer, Long> held = new TreeMap<>();
      next.forEach((index, ledger) -> held.put(index, unitsWithPending(kind, index)));
      needs
          .targets(kind, held)
          .forEach((index, target) -> excess.put(index, held.getOrDefault(index, 0L) - target));
      excess.forEach((to, units) -> receive(kind, to, -units, excess));
    }
  }

  /**
   * Returns the units of a partition. They include units from other partitions that the partition
   * has not noted as received yet.
   */
  private long unitsWithPending(Kind kind, int index) {
    Transfers transfers = transfers(kind, index);
    long pending = 0;
    for (Map.Entry<Integer, ShareLedger> other : next.entrySet()) {
      pending +=
          Math.max(
              0, other.getValue().of(kind).givenTo(index) - transfers.receivedFrom(other.getKey()));
    }
    return transfers.units() + pending;
  }

  private Transfers transfers(Kind kind, int index) {
    return next.getOrDefault(index, ShareLedger.empty(0)).of(kind);
  }

  private void receive(Kind kind, int to, long units, SortedMap<Integer, Long> excess) {
    long missing = units;
    for (Map.Entry<Integer, Long> giver : excess.entrySet()) {
      int from = giver.getKey();
      Transfers transfers = transfers(kind, from);
      long given = Math.min(missing, Math.min(giver.getValue(), transfers.units()));
      if (given > 0) {
        long total = transfers.givenTo(to) + given;
        next.computeIfPresent(
            from, (index, ledger) -> ledger.with(kind, transfers.withGiven(to, total)));
        giver.setValue(giver.getValue() - given);
        missing -= given;
      }
    }
  }
}
