package io.punctual;

import io.punctual.internal.message.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The policy that the factory methods of {@link RetryPolicy} return: a limit of attempts, a
 * function that computes delays, and rules for exceptions.
 */
final class StandardRetryPolicy implements RetryPolicy {
  static final int DEFAULT_ATTEMPTS = 5;

  private final Delays delays;
  private final int maxAttempts;
  private final List<Rule> rules;

  StandardRetryPolicy(Delays delays) {
    this(delays, DEFAULT_ATTEMPTS, List.of());
  }

  private StandardRetryPolicy(Delays delays, int maxAttempts, List<Rule> rules) {
    this.delays = delays;
    this.maxAttempts = maxAttempts;
    this.rules = rules;
  }

  /** Computes the delay after a failed attempt. */
  interface Delays {
    Optional<Duration> after(int attempt, Throwable failure, RandomGenerator random);
  }

  private record Rule(Predicate<Throwable> applies, RetryPolicy policy) {}

  @Override
  public RetryPolicy maxAttempts(int limit) {
    Checks.attempts(limit);
    return new StandardRetryPolicy(delays, limit, rules);
  }

  @Override
  public RetryPolicy forFailure(Predicate<Throwable> applies, RetryPolicy policy) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(
        new Rule(
            Objects.requireNonNull(applies, "applies"), Objects.requireNonNull(policy, "policy")));
    return new StandardRetryPolicy(delays, maxAttempts, List.copyOf(more));
  }

  @Override
  public int maxAttempts() {
    int max = maxAttempts;
    for (Rule rule : rules) {
      max = Math.max(max, rule.policy.maxAttempts());
    }
    return max;
  }

  @Override
  public Optional<Duration> delayAfter(int attempt, Throwable failure, RandomGenerator random) {
    for (Rule rule : rules) {
      if (rule.applies.test(failure)) {
        return attempt >= rule.policy.maxAttempts()
            ? Optional.empty()
            : rule.policy.delayAfter(attempt, failure, random);
      }
    }
    return attempt >= maxAttempts ? Optional.empty() : delays.after(attempt, failure, random);
  }
}
