package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports UP if the store answers in time, and otherwise DOWN. Stopped listeners have no effect on
 * the health.
 */
final class PunctualHealthIndicator extends AbstractHealthIndicator {
  private final Punctual punctual;
  private final Duration timeout;

  PunctualHealthIndicator(Punctual punctual, Duration timeout) {
    super("The store of Punctual does not answer");
    this.punctual = punctual;
    this.timeout = timeout;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.withDetail("store", punctual.store());
    Duration latency = punctual.ping(timeout);
    health.up().withDetail("latencyMillis", latency.toMillis());
  }
}
