package io.punctual.spring;

import io.punctual.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * A retry policy that applies the attributes of a listener first, and then the rules of a given
 * policy.
 *
 * @param limit the attribute {@code maxAttempts}, or empty for the limit of the policy
 * @param fatal exceptions that bury the message
 */
record ListenerRetryPolicy(
    RetryPolicy policy, OptionalInt limit, List<Class<? extends Throwable>> fatal)
    implements RetryPolicy {
  @Override
  public Optional<Duration> delayAfter(int attempt, Throwable failure, RandomGenerator random) {
    return attempt >= maxAttempts() || isFatal(ListenerMethod.unwrapped(failure))
        ? Optional.empty()
        : policy.delayAfter(attempt, failure, random);
  }

  @Override
  public int maxAttempts() {
    return limit.orElseGet(policy::maxAttempts);
  }

  private boolean isFatal(Throwable cause) {
    return cause instanceof ListenerArgumentException
        || fatal.stream().anyMatch(type -> type.isInstance(cause));
  }
}
