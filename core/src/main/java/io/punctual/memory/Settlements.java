package io.punctual.memory;

import io.punctual.Settled;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * What the holder of a lease may do with it: refused without effect unless the lease is still this
 * holder's. Guarded by the lane's lock.
 */
final class Settlements {
  private final LaneState lane;

  Settlements(LaneState lane) {
    this.lane = lane;
  }

  Outcome settle(Operation.Settlement asked, EngineTime now) {
    Item item = lane.find(asked.id());
    return new Outcome.OfSettlement(
        item == null || !item.isLeasedUnder(asked.token())
            ? Settled.LEASE_LOST
            : settle(item, asked, now));
  }

  private Settled settle(Item item, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Ack) {
      lane.remove(item);
      return Settled.DONE;
    }
    if (asked instanceof Operation.Extend extend) {
      lane.move(item, now.millisAfter(extend.leaseMillis()));
      return Settled.DONE;
    }
    if (item.cancelled) {
      lane.remove(item);
      return Settled.DISCARDED;
    }
    keep(item, asked, now);
    return Settled.DONE;
  }

  private void keep(Item item, Operation.Settlement asked, EngineTime now) {
    if (asked instanceof Operation.Retry retry) {
      item.history = retry.history();
      lane.makeWait(item, retry.due().atMillis(now.micros()));
    } else if (asked instanceof Operation.Bury bury) {
      item.history = bury.history();
      lane.bury(item, now.millis());
    } else {
      item.attempts--;
      lane.makeWait(item, item.dueMillis);
    }
  }
}
