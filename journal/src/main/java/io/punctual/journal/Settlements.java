package io.punctual.journal;

import io.punctual.Settled;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * What the holder of a lease may do with it: refused without effect unless the lease is still this
 * holder's. For the engine's thread alone.
 */
final class Settlements {
  private final LaneState lane;

  Settlements(LaneState lane) {
    this.lane = lane;
  }

  Outcome settle(Operation.Settlement asked, Id id, EngineTime now) {
    Lease lease = lane.findLease(id);
    return new Outcome.OfSettlement(
        lease == null || lease.token != asked.token()
            ? Settled.LEASE_LOST
            : settle(lease, asked, now));
  }

  private Settled settle(Lease lease, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Ack) {
      lane.remove(lease.slot);
      return Settled.DONE;
    }
    if (asked instanceof Operation.Extend extend) {
      lane.leases().extend(lease, now.millisAfter(extend.leaseMillis()));
      return Settled.DONE;
    }
    if (lease.cancelled) {
      lane.remove(lease.slot);
      return Settled.DISCARDED;
    }
    keep(lease, asked, now);
    return Settled.DONE;
  }

  private void keep(Lease lease, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Retry retry) {
      long due = retry.due().atMillis(now.micros());
      lane.makeWait(lease.slot, due, lease.attempt, lease.token, retry.history());
    } else if (asked instanceof Operation.Bury bury) {
      lane.bury(lease.slot, now.millis(), bury.history());
    } else {
      byte[] history = lane.reads().history(lease.slot);
      lane.makeWait(lease.slot, lease.dueMillis, lease.attempt - 1, lease.token, history);
    }
  }
}
