package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.QueueInfo;
import io.punctual.TimedQueue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The counts of a queue at a moment.
 *
 * @param at the moment
 * @param queue the queue's name
 * @param counts the counts
 */
record WatchSample(Instant at, String queue, Counts counts) {
  static WatchSample of(QueueInfo queue) {
    return new WatchSample(Clock.systemUTC().instant(), queue.name(), queue.counts());
  }

  static WatchSample of(TimedQueue<byte[]> queue) {
    Counts counts = queue.counts();
    return new WatchSample(Clock.systemUTC().instant(), queue.name(), counts);
  }

  /** Returns how the number of pending messages has changed per second since an earlier sample. */
  double changeSince(WatchSample earlier) {
    double seconds = Duration.between(earlier.at, at).toMillis() / 1e3;
    return seconds <= 0 ? 0 : (counts.pending() - earlier.counts.pending()) / seconds;
  }
}
