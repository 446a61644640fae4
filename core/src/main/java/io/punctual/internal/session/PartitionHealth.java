package io.punctual.internal.session;

import io.punctual.internal.runtime.StoreHealth;
import io.punctual.spi.Partition;

/**
 * Reports to {@link io.punctual.internal.runtime.StoreHealth} whether a single partition answers.
 * An answer to one session of a partition ends the failures of its other session. Thread-safe.
 */
final class PartitionHealth {
  private final StoreHealth store;
  private final Partition partition;

  PartitionHealth(StoreHealth store, Partition partition) {
    this.store = store;
    this.partition = partition;
  }

  void markFailing(Throwable failure) {
    store.failed(partition, partition.queue(), failure);
  }

  /**
   * Notes that the partition has answered. If it has failed before, adds the report to the notices,
   * which run without the session's lock.
   */
  void markHealthy(Notices notices) {
    if (store.isTroubled(partition)) {
      notices.add(() -> store.answered(partition, partition.queue()));
    }
  }

  /**
   * Notes the answer to a call. An emptied call changes nothing, so a partition that refuses
   * changes may answer it.
   */
  void answered(InFlightCall call, Notices notices) {
    if (!call.isEmpty()) {
      markHealthy(notices);
    } else if (store.isTroubled(partition)) {
      notices.add(() -> store.recovering(partition, partition.queue()));
    }
  }
}
