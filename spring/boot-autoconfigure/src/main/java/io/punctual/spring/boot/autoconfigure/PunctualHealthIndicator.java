package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports UP if the store answers in time, and otherwise DOWN. Stopped listeners, and queues
 * without a worker, which a detail names, have no effect on the status.
 */
final class PunctualHealthIndicator extends AbstractHealthIndicator {
  private final Punctual punctual;
  private final Duration timeout;
  private final Supplier<Set<String>> unworkedQueues;

  PunctualHealthIndicator(
      Punctual punctual, Duration timeout, Supplier<Set<String>> unworkedQueues) {
    super("The store of Punctual does not answer");
    this.punctual = punctual;
    this.timeout = timeout;
    this.unworkedQueues = unworkedQueues;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.withDetail("store", punctual.store());
    Duration latency = punctual.ping(timeout);
    health.up().withDetail("latencyMillis", latency.toMillis());
    Set<String> unworked = unworkedQueues.get();
    if (!unworked.isEmpty()) {
      health.withDetail("queuesWithoutWorker", unworked);
    }
  }
}
