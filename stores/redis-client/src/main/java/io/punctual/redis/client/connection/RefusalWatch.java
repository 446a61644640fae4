package io.punctual.redis.client.connection;

import io.punctual.redis.client.request.Failures;
import io.punctual.timer.DueTimer;
import java.util.concurrent.TimeUnit;

/**
 * Decides from the failures of a server's requests when all its connections must be replaced,
 * because a different server may be the primary now. With a new connection, the address is looked
 * up again. A server that says that it is no primary is replaced at once. A server that refuses
 * requests for some seconds for another passing reason may be a former primary as well: it has too
 * few replicas, cannot write to its disk, or loads its data. Thread-safe.
 */
final class RefusalWatch {
  /** How long a server may refuse requests. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** The longest pause between two refusals of the same outage. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The shortest time between two replacements. */
  private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DueTimer timer;

  private boolean isRefusing;
  private long sinceNanos;
  private long lastNanos;
  private boolean wasReplaced;
  private long replacedNanos;

  RefusalWatch(DueTimer timer) {
    this.timer = timer;
  }

  /** Notes a failure, and returns whether the connections must be replaced now. */
  synchronized boolean replaces(Throwable failure) {
    boolean isWrong = Failures.isWrongServer(failure);
    if (!isWrong && !Failures.isOutageReply(failure)) {
      return false;
    }
    long now = timer.nanoTime();
    if (!isRefusing || now - lastNanos > PAUSE_NANOS) {
      isRefusing = true;
      sinceNanos = now;
    }
    lastNanos = now;
    boolean isLong = now - sinceNanos > PATIENCE_NANOS;
    boolean isEarly = wasReplaced && now - replacedNanos < BETWEEN_NANOS;
    if (isEarly || !(isWrong || isLong)) {
      return false;
    }
    sinceNanos = now;
    wasReplaced = true;
    replacedNanos = now;
    return true;
  }
}
