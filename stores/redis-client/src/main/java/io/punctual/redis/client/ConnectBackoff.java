package io.punctual.redis.client;

import io.punctual.timer.DueTimer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Spaces attempts to connect: the first is made at once, the next up to 50 ms after a connection
 * was lost, and then 10 ms to 1 s apart. The times are random, so that a server does not meet all
 * of its clients in the same moment after it closed their connections. Not thread-safe.
 */
final class ConnectBackoff {
  private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DueTimer timer;
  private int failures;
  private boolean connectedBefore;

  ConnectBackoff(DueTimer timer) {
    this.timer = timer;
  }

  /** Runs an attempt after the delay. */
  void run(Runnable attempt) {
    if (failures == 0) {
      if (connectedBefore) {
        timer.schedule(ThreadLocalRandom.current().nextLong(RECONNECT_NANOS), attempt);
      } else {
        attempt.run();
      }
      return;
    }
    long bound = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(failures - 1, 20));
    long nanos = bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2 + 1);
    timer.schedule(nanos, attempt);
  }

  void failed() {
    failures++;
  }

  void succeeded() {
    failures = 0;
    connectedBefore = true;
  }
}
