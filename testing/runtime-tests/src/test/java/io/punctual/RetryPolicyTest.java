package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private final Random random = new Random(1);
  private final Exception failure = new IOException();

  private Optional<Duration> delay(RetryPolicy policy, int attempt) {
    return policy.delayAfter(attempt, failure, random);
  }

  @Test
  void exponential_boundDoublesUpToTheMaximum_withFullJitter() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofMillis(100), Duration.ofSeconds(1)).maxAttempts(1000);
    for (int attempt = 1; attempt < 100; attempt++) {
      long bound = attempt > 4 ? 1000 : 100L << (attempt - 1);
      long longest = 0;
      long shortest = Long.MAX_VALUE;
      for (int i = 0; i < 500; i++) {
        long millis = delay(policy, attempt).orElseThrow().toMillis();
        longest = Math.max(longest, millis);
        shortest = Math.min(shortest, millis);
      }
      assertThat(longest).isLessThanOrEqualTo(bound).isGreaterThan(bound * 9 / 10);
      assertThat(shortest).isLessThan(bound / 10);
    }
  }

  @Test
  void exponential_hugeAttempt_staysWithinTheMaximum() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofDays(1), Duration.ofDays(300_000)).maxAttempts(100_000);
    assertThat(delay(policy, 99_999).orElseThrow())
        .isBetween(Duration.ZERO, Duration.ofDays(300_000));
  }

  @Test
  void delays_oneAFailure_thenBuries() {
    RetryPolicy policy = RetryPolicy.delays(List.of(Duration.ofSeconds(1), Duration.ofMinutes(1)));
    assertThat(delay(policy, 1)).hasValue(Duration.ofSeconds(1));
    assertThat(delay(policy, 2)).hasValue(Duration.ofMinutes(1));
    assertThat(delay(policy, 3)).isEmpty();
  }

  @Test
  void delays_moreAttemptsAllowedThanListed_lastOneRepeats() {
    RetryPolicy policy = RetryPolicy.delays(List.of(Duration.ofSeconds(1))).maxAttempts(5);
    assertThat(delay(policy, 4)).hasValue(Duration.ofSeconds(1));
    assertThat(delay(policy, 5)).isEmpty();
  }

  @Test
  void never_buriesAtOnce() {
    assertThat(delay(RetryPolicy.never(), 1)).isEmpty();
  }

  @Test
  void when_firstRuleThatFits_decides() {
    RetryPolicy policy =
        RetryPolicy.fixed(Duration.ofSeconds(1))
            .forFailure(IOException.class, RetryPolicy.fixed(Duration.ofSeconds(2)).maxAttempts(9))
            .forFailure(Exception.class, RetryPolicy.never());
    assertThat(delay(policy, 8)).hasValue(Duration.ofSeconds(2));
    assertThat(policy.delayAfter(1, new RuntimeException(), random)).isEmpty();
    assertThat(policy.delayAfter(1, new AssertionError(), random)).hasValue(Duration.ofSeconds(1));
    assertThat(policy.maxAttempts()).isEqualTo(9);
  }

  @Test
  void lambda_hasTheDefaultLimit_andTakesAnotherLimitAndRules() {
    RetryPolicy lambda = (attempt, thrown, source) -> Optional.of(Duration.ofSeconds(attempt));
    assertThat(lambda.maxAttempts()).isEqualTo(5);
    RetryPolicy policy =
        lambda.maxAttempts(9).forFailure(RuntimeException.class, RetryPolicy.never());
    assertThat(delay(policy, 8)).hasValue(Duration.ofSeconds(8));
    assertThat(delay(policy, 9)).isEmpty();
    assertThat(policy.delayAfter(1, new RuntimeException(), random)).isEmpty();
  }

  @Test
  void when_ruleIsALambda_limitOfTheRuleApplies() {
    RetryPolicy lambda = (attempt, thrown, source) -> Optional.of(Duration.ofSeconds(1));
    RetryPolicy policy = RetryPolicy.DEFAULT.maxAttempts(9).forFailure(IOException.class, lambda);
    assertThat(delay(policy, 4)).hasValue(Duration.ofSeconds(1));
    assertThat(delay(policy, 5)).isEmpty();
  }

  @Test
  void retryAfter_outOfRange_refusedAtOnce() {
    assertThatThrownBy(() -> new RetryAfterException(Duration.ofDays(400_000), null))
        .hasMessageContaining("365250 days");
  }

  @Test
  void options_outOfRange_sayTheRange() {
    assertThatThrownBy(() -> RetryPolicy.DEFAULT.maxAttempts(0)).hasMessageContaining("between 1");
    assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ZERO, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RetryPolicy.fixed(Duration.ofDays(400_000)))
        .hasMessageContaining("365250 days");
  }
}
