package io.punctual;

import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Decides after a failed attempt whether the message is retried after a delay, or buried.
 * Immutable.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5))
 *     .maxAttempts(8)
 *     .when(InvalidOrderException.class, RetryPolicy.never())
 * }</pre>
 */
public final class RetryPolicy {
  /** Up to 5 attempts, exponential from 1 second to 5 minutes with full jitter. */
  public static final RetryPolicy DEFAULT =
      exponential(Duration.ofSeconds(1), Duration.ofMinutes(5)).maxAttempts(5);

  private static final int MAX_ATTEMPTS = 1_000_000;

  private final Delays delays;
  private final int maxAttempts;
  private final List<Rule> rules;

  private RetryPolicy(Delays delays, int maxAttempts, List<Rule> rules) {
    this.delays = delays;
    this.maxAttempts = maxAttempts;
    this.rules = rules;
  }

  /** Computes the delay after a failed attempt. */
  private interface Delays {
    Duration after(int attempt, RandomGenerator random);
  }

  private record Rule(Predicate<Throwable> applies, RetryPolicy policy) {}

  /**
   * Returns a policy that waits a random time between zero and a bound that doubles from {@code
   * first} up to {@code max} ("full jitter", which spreads the retries of messages that failed
   * together).
   *
   * @param first at least 1 millisecond
   * @param max at least {@code first}
   */
  public static RetryPolicy exponential(Duration first, Duration max) {
    long firstMillis = DueTime.delayMillis(first);
    long maxMillis = DueTime.delayMillis(max);
    if (firstMillis < 1 || maxMillis < firstMillis) {
      throw new IllegalArgumentException(
          "first must be positive and max not below it, but they were " + first + " and " + max);
    }
    return of(
        (attempt, random) -> {
          int doublings = Math.min(attempt - 1, Long.numberOfLeadingZeros(firstMillis) - 1);
          long bound = Math.min(maxMillis, firstMillis << doublings);
          return Duration.ofMillis(random.nextLong(bound + 1));
        });
  }

  /** Returns a policy with the same delay after each failure. */
  public static RetryPolicy fixed(Duration delay) {
    DueTime.delayMillis(delay);
    return of((attempt, random) -> delay);
  }

  /**
   * Returns a policy with a delay for each failure, which then buries the message. If {@link
   * #maxAttempts} allows more attempts, the last delay repeats.
   */
  public static RetryPolicy delays(List<Duration> delays) {
    List<Duration> copy = List.copyOf(delays);
    copy.forEach(DueTime::delayMillis);
    if (copy.isEmpty()) {
      return never();
    }
    return of((attempt, random) -> copy.get(Math.min(attempt, copy.size()) - 1))
        .maxAttempts(copy.size() + 1);
  }

  /** Returns a policy that buries at the first failure. */
  public static RetryPolicy never() {
    return fixed(Duration.ZERO).maxAttempts(1);
  }

  private static RetryPolicy of(Delays delays) {
    return new RetryPolicy(delays, 5, List.of());
  }

  /**
   * Returns this policy with a limit of deliveries, including the first: 1 to 1,000,000. {@link
   * #exponential} and {@link #fixed} start with 5.
   */
  public RetryPolicy maxAttempts(int maxAttempts) {
    if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "maxAttempts must be between 1 and " + MAX_ATTEMPTS + ", but was " + maxAttempts);
    }
    return new RetryPolicy(delays, maxAttempts, rules);
  }

  /**
   * Returns this policy with a rule: a different policy for these exceptions. The first matching
   * rule applies.
   */
  public RetryPolicy when(Class<? extends Throwable> type, RetryPolicy policy) {
    return when(type::isInstance, policy);
  }

  /**
   * Returns this policy with a rule: a different policy for these exceptions. The first matching
   * rule applies.
   */
  public RetryPolicy when(Predicate<Throwable> applies, RetryPolicy policy) {
    List<Rule> more = new java.util.ArrayList<>(rules);
    more.add(new Rule(applies, policy));
    return new RetryPolicy(delays, maxAttempts, List.copyOf(more));
  }

  /** Returns the largest number of deliveries that any rule of this policy allows. */
  public int maxAttempts() {
    int max = maxAttempts;
    for (Rule rule : rules) {
      max = Math.max(max, rule.policy.maxAttempts());
    }
    return max;
  }

  /**
   * Returns how long to wait before the next attempt, or empty to bury the message.
   *
   * @param attempt the number of the failed attempt, from 1
   * @param random the source of the jitter
   */
  public Optional<Duration> delayAfter(int attempt, Throwable failure, RandomGenerator random) {
    for (Rule rule : rules) {
      if (rule.applies.test(failure)) {
        return rule.policy.delayAfter(attempt, failure, random);
      }
    }
    return attempt >= maxAttempts ? Optional.empty() : Optional.of(delays.after(attempt, random));
  }
}
