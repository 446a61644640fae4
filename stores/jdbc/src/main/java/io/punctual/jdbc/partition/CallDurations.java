package io.punctual.jdbc.partition;

import java.util.concurrent.TimeUnit;

/**
 * The durations of recent calls with their commits. They show how slow the database is at present,
 * and so for how long the calls of other clients hold their locks. For a single thread.
 */
final class CallDurations {
  /** A call that takes this many times as long as the slowest recent call is unlikely. */
  private static final long FACTOR = 4;

  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(JdbcCalls.LOCK_MILLIS);

  /** The bound, because other calls of the queue wait behind a call that is patient. */
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long slowestNanos;

  /** Notes the duration of a call. It counts less with each later call. */
  void add(long nanos) {
    slowestNanos = Math.max(nanos, slowestNanos - slowestNanos / 8);
  }

  /** Returns how long a call waits for a lock before it may assume an open transaction. */
  long patienceNanos() {
    return Math.min(MOST_NANOS, Math.max(LEAST_NANOS, FACTOR * slowestNanos));
  }
}
