package io.punctual.rabbitmq.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Tracks which of the connectors that share this object have no connection. The time from the first
 * lost connection until all connections are restored is a single outage. The log has a line about
 * its start and its end, and at most one reminder a minute. If outages follow each other, for
 * example because each new connection is refused in its first use, the log has ten of them a
 * minute. Thread-safe.
 */
final class Outage {
  private final LogThrottle starts = new LogThrottle(10, Duration.ofMinutes(1));
  private final LogThrottle reminders = new LogThrottle(1, Duration.ofMinutes(1));

  @GuardedBy("this") private final Set<Connector> away = new HashSet<>();

  @GuardedBy("this") private boolean logged;

  /** Records a failure; returns whether to log it. */
  synchronized boolean failed(Connector connector) {
    boolean first = away.isEmpty();
    away.add(connector);
    boolean log = reminders.tryAcquire() || (first && starts.tryAcquire());
    logged |= log;
    return log;
  }

  /** Records a connection; returns whether to log it as the end of the outage. */
  synchronized boolean connected(Connector connector) {
    if (!away.remove(connector) || !away.isEmpty()) {
      return false;
    }
    boolean log = logged;
    logged = false;
    return log;
  }
}
