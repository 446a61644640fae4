package io.punctual.view;

/** Why a queue is late. */
public enum Cause {
  /** The queue is not late, and nothing keeps it from being on time. */
  NONE,
  /** The store does not answer. */
  STORE_AWAY,
  /** The store answers, and refuses every request, for example because of a password. */
  STORE_REFUSES,
  /** The queue is paused. */
  PAUSED,
  /** The store answers reads, and refuses changes. */
  READ_ONLY,
  /** No worker of any process has the queue. */
  NO_WORKER,
  /** All workers of the queue are paused. */
  WORKERS_PAUSED,
  /** As many messages are leased as the limit of the queue allows. */
  CONCURRENCY_LIMIT,
  /** The limit of the rate holds messages back. */
  RATE_LIMIT,
  /** All handlers of all workers run. */
  BUSY_HANDLERS,
  /** Workers lose the leases of messages before they settle them. */
  LOST_LEASES,
  /** The store's clock differs from the clock of this machine. */
  CLOCK,
  /** The queue has another number of partitions than the application asks for. */
  PARTITIONS,
  /** A single message is delivered again and again. */
  POISON_MESSAGE,
  /** Messages are late for a reason that the store does not know. */
  UNKNOWN
}
