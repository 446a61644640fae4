package io.punctual.contract;

import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.util.List;

/** Makes every kind of settlement of a lease. */
final class PartitionSettlements {
  private PartitionSettlements() {}

  static List<Operation.Settlement> all(ClaimedMessage held, DueTime due) {
    return List.of(
        new Operation.Ack(held.id(), held.token()),
        new Operation.Retry(held.id(), held.token(), due, new byte[] {1}),
        new Operation.Bury(held.id(), held.token(), new byte[] {2}),
        new Operation.Extend(held.id(), held.token(), TestSession.LONG.toMillis()),
        new Operation.Release(held.id(), held.token(), null),
        new Operation.Release(held.id(), held.token(), due),
        new Operation.Repeat(held.id(), held.token(), due, null),
        new Operation.Repeat(held.id(), held.token(), due, Content.of(new byte[] {3})));
  }
}
