package io.punctual.memory;

import io.punctual.SettleOutcome;
import io.punctual.embedded.EngineTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * What the holder of a lease may do with it: refused without effect unless the lease is still this
 * holder's. Guarded by the partition's lock.
 */
final class Settlements {
  private final PartitionState partition;

  Settlements(PartitionState partition) {
    this.partition = partition;
  }

  Outcome settle(Operation.Settlement asked, EngineTime now) {
    Item item = partition.find(asked.id());
    return new Outcome.OfSettlement(
        item == null || !item.isLeasedUnder(asked.token())
            ? SettleOutcome.LEASE_LOST
            : settle(item, asked, now));
  }

  private SettleOutcome settle(Item item, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Ack) {
      partition.remove(item);
      return SettleOutcome.DONE;
    }
    if (asked instanceof Operation.Extend extend) {
      partition.move(item, now.millisAfter(extend.leaseMillis()));
      return SettleOutcome.DONE;
    }
    if (item.cancelled) {
      partition.remove(item);
      return SettleOutcome.DISCARDED;
    }
    keep(item, asked, now);
    return SettleOutcome.DONE;
  }

  private void keep(Item item, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Retry retry) {
      item.history = retry.history();
      partition.makeWait(item, retry.due().atMillis(now.micros()));
    } else if (asked instanceof Operation.Bury bury) {
      item.history = bury.history();
      partition.bury(item, now.millis());
    } else {
      item.attempts--;
      partition.makeWait(item, item.dueMillis);
    }
  }
}
