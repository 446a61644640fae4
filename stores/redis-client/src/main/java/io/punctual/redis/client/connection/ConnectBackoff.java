package io.punctual.redis.client.connection;

import io.punctual.internal.runtime.Backoff;
import io.punctual.timer.DueTimer;
import java.time.Duration;
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

  private final DueTimer timer;
  private final Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));
  private long pauseNanos;
  private boolean connectedBefore;

  ConnectBackoff(DueTimer timer) {
    this.timer = timer;
  }

  /** Runs the next attempt, after the pause if there is any. */
  void run(Runnable attempt) {
    if (backoff.failures() > 0) {
      timer.schedule(pauseNanos, attempt);
    } else if (connectedBefore) {
      timer.schedule(ThreadLocalRandom.current().nextLong(RECONNECT_NANOS), attempt);
    } else {
      attempt.run();
    }
  }

  void failed() {
    pauseNanos = backoff.failed(ThreadLocalRandom.current());
  }

  void succeeded() {
    backoff.reset();
    connectedBefore = true;
  }
}
