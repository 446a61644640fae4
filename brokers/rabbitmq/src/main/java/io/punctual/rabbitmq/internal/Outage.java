package io.punctual.rabbitmq.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Tracks which of the connectors that share this object have no connection. The time from the first
 * lost connection until all connections are restored is a single outage. The log has a line about
 * it, and at most one reminder a minute. Thread-safe.
 */
final class Outage {
  private final LogThrottle throttle = new LogThrottle(1, Duration.ofMinutes(1));

  @GuardedBy("this") private final Set<Connector> away = new HashSet<>();

  /** Records a failure; returns whether to log it. */
  synchronized boolean failed(Connector connector) {
    boolean first = away.isEmpty();
    away.add(connector);
    return throttle.tryAcquire() || first;
  }

  /** Records a connection; returns whether it ends the outage. */
  synchronized boolean connected(Connector connector) {
    return away.remove(connector) && away.isEmpty();
  }
}
