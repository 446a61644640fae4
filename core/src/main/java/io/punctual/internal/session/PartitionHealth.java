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

  /** Returns whether the partition has failed since its last answer. */
  boolean isFailing() {
    return store.isTroubled(this);
  }

  void markFailing(Throwable failure) {
    store.failed(this, queue, failure);
  }

  void markHealthy() {
    store.answered(this, queue);
  }
}
