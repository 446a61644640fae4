package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The counts of a queue at a moment.
 *
 * @param at the moment
 * @param queue the queue's name
 * @param counts the counts
 * @param overdue the time since the oldest ready message was due; zero if no message is ready
 */
record WatchSample(Instant at, String queue, Counts counts, Duration overdue) {
  static WatchSample of(TimedQueue<byte[]> queue) {
    Counts counts = queue.counts();
    Instant now = Clock.systemUTC().instant();
    return new WatchSample(now, queue.name(), counts, overdue(queue, counts, now));
  }

  private static Duration overdue(TimedQueue<byte[]> queue, Counts counts, Instant now) {
    if (counts.ready() == 0) {
      return Duration.ZERO;
    }
    return queue.browse(State.READY, Optional.empty(), 1).items().stream()
        .findFirst()
        .map(StoredMessage::dueAt)
        .filter(due -> due.isBefore(now))
        .map(due -> Duration.between(due, now))
        .orElse(Duration.ZERO);
  }

  /** Returns the change of pending messages in a second since an earlier sample. */
  double changeSince(WatchSample earlier) {
    double seconds = Duration.between(earlier.at, at).toMillis() / 1e3;
    return seconds <= 0 ? 0 : (counts.pending() - earlier.counts.pending()) / seconds;
  }
}
