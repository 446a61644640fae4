package io.punctual.spring;

import io.punctual.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * The attributes of a listener, which decide before the rules of its policy.
 *
 * @param limit the attribute {@code maxAttempts}
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
