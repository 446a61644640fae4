package io.punctual.internal.delivery;

import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Optional;

/**
 * A retry policy with its limit of attempts, which is read once. It decides after a failed attempt,
 * also if the policy fails. Immutable.
 */
record RetryRule(RetryPolicy policy, int maxAttempts) {
  private static final Duration AFTER_BROKEN_POLICY = Duration.ofMinutes(1);

  static RetryRule of(RetryPolicy policy) {
    return new RetryRule(policy, Checks.attempts(policy.maxAttempts()));
  }

  /**
   * Returns the delay of the retry, or empty if the message is not retried. A delay in the failure
   * replaces the policy's delay. If the policy throws, or returns a delay out of range, the delay
   * is a minute.
   */
  Optional<Duration> delayAfter(int attempt, Throwable failure, Environment env, HandlerLog log) {
    if (attempt >= maxAttempts) {
      return Optional.empty();
    }
    try {
      Optional<Duration> delay = policy.delayAfter(attempt, failure, env.randomGenerator());
      delay.ifPresent(DueTime::delayMillis);
      return delay.map(ofPolicy -> asked(failure).orElse(ofPolicy));
    } catch (Throwable e) {
      log.policyFailed(AFTER_BROKEN_POLICY, e);
      return Optional.of(AFTER_BROKEN_POLICY);
    }
  }

  /** Returns the delay in the failure, or empty if the failure has no delay. */
  private static Optional<Duration> asked(Throwable failure) {
    return StoreFailures.unwrap(failure) instanceof RetryAfterException e
        ? Optional.of(e.delay())
        : Optional.empty();
  }
}
