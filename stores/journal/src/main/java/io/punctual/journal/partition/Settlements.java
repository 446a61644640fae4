package io.punctual.journal.partition;

import io.punctual.SettleOutcome;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.format.Id;
import io.punctual.journal.index.Lease;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * What the holder of a lease may do with it: refused without effect unless the lease is still this
 * holder's. For the engine's thread alone.
 */
final class Settlements {
  private final PartitionState partition;

  Settlements(PartitionState partition) {
    this.partition = partition;
  }

  Outcome settle(Operation.Settlement asked, Id id, EngineTime now) {
    Lease lease = partition.findLease(id);
    return new Outcome.OfSettlement(
        lease == null || lease.token != asked.token()
            ? SettleOutcome.LEASE_LOST
            : settle(lease, asked, now));
  }

  private SettleOutcome settle(Lease lease, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Ack) {
      partition.remove(lease.slot);
      return SettleOutcome.DONE;
    }
    if (asked instanceof Operation.Extend extend) {
      partition.leases().extend(lease, now.millisAfter(extend.leaseMillis()));
      return SettleOutcome.DONE;
    }
    if (lease.cancelled) {
      partition.remove(lease.slot);
      return SettleOutcome.DISCARDED;
    }
    keep(lease, asked, now);
    return SettleOutcome.DONE;
  }

  private void keep(Lease lease, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Retry retry) {
      long due = retry.due().atMillis(now.micros());
      partition.makeWait(lease.slot, due, lease.attempt, lease.token, retry.history());
    } else if (asked instanceof Operation.Bury bury) {
      partition.bury(lease.slot, now.millis(), bury.history());
    } else {
      byte[] history = partition.reads().history(lease.slot);
      partition.makeWait(lease.slot, lease.dueMillis, lease.attempt - 1, lease.token, history);
    }
  }
}
