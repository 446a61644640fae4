package io.punctual.cli.transfer;

import io.punctual.Counts;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks whether a queue has had no ready and no leased messages for a while. Not thread-safe. */
final class IdleWatch {
  private static final Logger log = LoggerFactory.getLogger(IdleWatch.class);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);

  private final TimedQueue<byte[]> queue;
  private final @Nullable Duration idle;
  private long busyNanos = System.nanoTime();
  private boolean over;

  /**
   * Creates a watch.
   *
   * @param idle the idle time after which the watch ends, or null for no end
   */
  IdleWatch(TimedQueue<byte[]> queue, @Nullable Duration idle) {
    this.queue = queue;
    this.idle = idle;
  }

  Duration interval() {
    Duration fifth = idle == null ? LONGEST_INTERVAL : idle.dividedBy(5);
    Duration interval = fifth.compareTo(LONGEST_INTERVAL) < 0 ? fifth : LONGEST_INTERVAL;
    return interval.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : interval;
  }

  /**
   * Updates the result of {@link #isOver}, if there is an idle time. Asks for the counts of the
   * queue, unless the caller knows that the queue is busy.
   */
  void look(boolean isBusy) {
    if (idle == null) {
      return;
    }
    long now = System.nanoTime();
    if (isBusy || hasWork()) {
      busyNanos = now;
    }
    over = now - busyNanos >= TimeUnit.NANOSECONDS.convert(idle);
  }

  /**
   * Returns whether the queue has ready or leased messages. Assumes so if the store is unavailable.
   */
  private boolean hasWork() {
    try {
      Counts counts = queue.counts();
      return counts.ready() > 0 || counts.leased() > 0;
    } catch (StoreUnavailableException e) {
      log.debug("The store is away", e);
      return true;
    }
  }

  boolean isOver() {
    return over;
  }
}
