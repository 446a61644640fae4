package io.punctual.redis.client.connection;

import io.punctual.timer.DueTimer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Determines the pauses between attempts to connect. The first attempt starts at once. After a lost
 * connection the next attempt starts within 50 ms. Each failed attempt about doubles the pause,
 * from 10 ms to 1 s; up to half of each pause is random. So the clients do not connect at the same
 * moment after a server has closed their connections. Not thread-safe.
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

  /** Runs the next attempt, after the pause if there is any. */
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
