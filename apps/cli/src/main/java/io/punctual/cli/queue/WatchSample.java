package io.punctual.cli.queue;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The counts of a queue at a moment.
 *
 * @param at the moment
 * @param queue the queue and its counts
 */
record WatchSample(Instant at, QueueCounts queue) {
  static WatchSample of(QueueCounts queue) {
    return new WatchSample(Clock.systemUTC().instant(), queue);
  }

  /** Returns how the number of pending messages has changed per second since an earlier sample. */
  double changeSince(WatchSample earlier) {
    double seconds = Duration.between(earlier.at, at).toMillis() / 1e3;
    long change = queue.counts().pending() - earlier.queue.counts().pending();
    return seconds <= 0 ? 0 : change / seconds;
  }
}
