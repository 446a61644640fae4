package io.punctual.rabbitmq;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the messages of an intake. Thread-safe. */
final class IntakeCounters {
  final AtomicLong stored = new AtomicLong();
  final AtomicLong duplicates = new AtomicLong();
  final AtomicLong renamed = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong unacked = new AtomicLong();
  final AtomicLong unackedBytes = new AtomicLong();
  final AtomicLong failed = new AtomicLong();

  /** Whether the last call to the store failed. */
  private volatile boolean storeIsAway;

  void storeIsAway(boolean away) {
    storeIsAway = away;
  }

  boolean isStoreAway() {
    return storeIsAway;
  }

  IntakeStats stats() {
    return new IntakeStats(
        stored.get(),
        unacked.get(),
        unackedBytes.get(),
        failed.get(),
        duplicates.get(),
        renamed.get(),
        refused.get());
  }
}
