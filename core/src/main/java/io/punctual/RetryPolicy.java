package io.punctual;

import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Decides after a failed attempt whether the message is retried after a delay, or buried.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5))
 *     .maxAttempts(8)
 *     .forFailure(InvalidOrderException.class, RetryPolicy.never())
 * }</pre>
 *
 * <p>A lambda can be a policy too: {@link #delayAfter} is the only abstract method. The worker
 * buries a message at the limit of {@link #maxAttempts()} even if the policy returns a delay. If
 * the policy throws, or returns a delay out of range, the worker logs the exception and retries the
 * message after a minute. Many threads call a policy at once.
 */
@FunctionalInterface
public interface RetryPolicy {
  /** Up to 5 attempts, exponential from 1 second to 5 minutes with full jitter. */
  RetryPolicy DEFAULT = exponential(Duration.ofSeconds(1), Duration.ofMinutes(5));

  /**
   * Returns how long to wait before the next attempt, or empty to bury the message. The delay must
   * be shorter than {@link Limits#DAYS} days. It is rounded up to milliseconds; a negative delay
   * means now.
   *
   * @param attempt the number of the failed attempt, from 1
   * @param random the source of the jitter
   */
  Optional<Duration> delayAfter(int attempt, Throwable failure, RandomGenerator random);

  /**
   * Returns the limit of attempts, 1 to 1,000,000; 5 by default. For a policy with rules this is
   * the largest of its own limit and the limits of the rules. A worker reads the limit when it
   * starts.
   */
  default int maxAttempts() {
    return StandardRetryPolicy.DEFAULT_ATTEMPTS;
  }

  /**
   * Returns a copy of this policy with a limit of attempts, including the first attempt: 1 to
   * 1,000,000. The policies of {@link #exponential} and {@link #fixed} have a limit of 5.
   */
  default RetryPolicy maxAttempts(int limit) {
    return new StandardRetryPolicy(this::delayAfter).maxAttempts(limit);
  }

  /**
   * Returns a copy of this policy with a further rule: a different policy for exceptions of this
   * type. If several rules match, the rule that was added first applies.
   */
  default RetryPolicy forFailure(Class<? extends Throwable> type, RetryPolicy policy) {
    return forFailure(type::isInstance, policy);
  }

  /**
   * Returns a copy of this policy with a further rule: a different policy for the exceptions that
   * {@code applies} accepts. If several rules match, the rule that was added first applies.
   */
  default RetryPolicy forFailure(Predicate<Throwable> applies, RetryPolicy policy) {
    return maxAttempts(maxAttempts()).forFailure(applies, policy);
  }

  /**
   * Returns a policy that waits a random time between zero and a bound. The bound doubles from
   * {@code first} up to {@code max}. This "full jitter" spreads the retries of messages that failed
   * together.
   *
   * @param first at least 1 millisecond
   * @param max at least {@code first}
   */
  static RetryPolicy exponential(Duration first, Duration max) {
    long firstMillis = DueTime.delayMillis(first);
    long maxMillis = DueTime.delayMillis(max);
    if (firstMillis < 1 || maxMillis < firstMillis) {
      throw new IllegalArgumentException(
          "first must be positive and max not below it, but they were " + first + " and " + max);
    }
    return new StandardRetryPolicy(
        (attempt, failure, random) -> {
          int doublings = Math.min(attempt - 1, Long.numberOfLeadingZeros(firstMillis) - 1);
          long bound = Math.min(maxMillis, firstMillis << doublings);
          return Optional.of(Duration.ofMillis(random.nextLong(bound + 1)));
        });
  }

  /** Returns a policy with the same delay after each failure. */
  static RetryPolicy fixed(Duration delay) {
    long unused = DueTime.delayMillis(delay);
    return new StandardRetryPolicy((attempt, failure, random) -> Optional.of(delay));
  }

  /**
   * Returns a policy that waits these delays, one after each failure, and buries the message at the
   * next failure. If {@link #maxAttempts(int)} allows more attempts, the last delay repeats.
   */
  static RetryPolicy delays(List<Duration> delays) {
    List<Duration> copy = List.copyOf(delays);
    copy.forEach(DueTime::delayMillis);
    if (copy.isEmpty()) {
      return never();
    }
    return new StandardRetryPolicy(
            (attempt, failure, random) -> Optional.of(copy.get(Math.min(attempt, copy.size()) - 1)))
        .maxAttempts(copy.size() + 1);
  }

  /** Returns a policy that buries at the first failure. */
  static RetryPolicy never() {
    return fixed(Duration.ZERO).maxAttempts(1);
  }
}
