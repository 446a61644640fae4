package io.punctual.internal.session;

import io.punctual.internal.runtime.StoreHealth;

/**
 * Reports to {@link io.punctual.internal.runtime.StoreHealth} whether a single partition answers.
 * Thread-safe.
 */
final class PartitionHealth {
  private final StoreHealth store;
  private final String queue;

  PartitionHealth(StoreHealth store, String queue) {
    this.store = store;
    this.queue = queue;
  }

  void markFailing(Throwable failure) {
    store.failed(this, queue, failure);
  }

  /** Reports an answer, with these notices, if the partition has failed since its last answer. */
  void markHealthy(Notices notices) {
    if (store.isTroubled(this)) {
      notices.add(() -> store.answered(this, queue));
    }
  }
}
