package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.punctual.Message;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.event.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests failed attempts: the policies of users, and delays that a handler asks for. */
class RetriesTest {
  private static final RetryPolicy SECOND = RetryPolicy.fixed(Duration.ofSeconds(1));
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private StoredMessage<String> find() {
    return world.queue.find("a").orElseThrow();
  }

  private Duration untilDue() {
    return Duration.between(world.clock.instant(), find().dueAt());
  }

  private void work(RetryPolicy policy, Exception failure) {
    world.queue.work(
        inline().retryPolicy(policy).build(),
        delivery -> {
          throw failure;
        });
    world.queue.schedule(Message.of("x").id("a"));
  }

  @Test
  void retryAfter_thrown_replacesTheDelayOfThePolicy() {
    work(SECOND, new RetryAfterException(MINUTE, new IOException("HTTP 429")));
    assertThat(untilDue()).isEqualTo(MINUTE);
    assertThat(find().failures()).singleElement().asString().contains("HTTP 429");
    assertThat(world.events(Event.MessageRetried.class))
        .extracting(Event.MessageRetried::delay)
        .containsExactly(MINUTE);
  }

  @Test
  void retryAfter_causeOfACompletionException_replacesTheDelayOfThePolicy() {
    work(SECOND, new CompletionException(new RetryAfterException(MINUTE, null)));
    assertThat(untilDue()).isEqualTo(MINUTE);
  }

  @Test
  void retryAfter_failsTheStageOfAnAsyncHandler_replacesTheDelayOfThePolicy() {
    world.queue.workStages(
        inline().retryPolicy(SECOND).build(),
        delivery ->
            CompletableFuture.completedFuture("")
                .thenRun(
                    () -> {
                      throw new RetryAfterException(MINUTE, null);
                    }));
    world.queue.schedule(Message.of("x").id("a"));
    assertThat(untilDue()).isEqualTo(MINUTE);
  }

  @Test
  void retryAfter_lastAttempt_buried() {
    work(SECOND.maxAttempts(2), new RetryAfterException(MINUTE, null));
    world.advance(MINUTE);
    assertThat(find().state()).isEqualTo(State.DEAD);
    assertThat(find().attempts()).isEqualTo(2);
  }

  @Test
  void retryAfter_ruleOfThePolicyBuries_buried() {
    work(
        SECOND.forFailure(RetryAfterException.class, RetryPolicy.never()),
        new RetryAfterException(MINUTE, null));
    assertThat(find().state()).isEqualTo(State.DEAD);
  }

  @Test
  void policy_looksAtTheFailure_decidesTheDelay() {
    work(
        (attempt, failure, random) ->
            Optional.of(failure instanceof IOException ? MINUTE : Duration.ZERO),
        new IOException("reset"));
    assertThat(untilDue()).isEqualTo(MINUTE);
  }

  @Test
  void policy_neverGivesUp_buriedAtItsLimit() {
    work((attempt, failure, random) -> Optional.of(Duration.ZERO), new IOException("reset"));
    assertThat(find().state()).isEqualTo(State.DEAD);
    assertThat(find().attempts()).isEqualTo(5);
  }

  @Test
  void policy_delayOutOfRange_retriedInAMinute() {
    work((attempt, failure, random) -> Optional.of(Duration.ofDays(400_000)), new IOException());
    assertThat(untilDue()).isEqualTo(MINUTE);
  }

  @Test
  @SuppressWarnings(
      "NullAway") // Returning null breaks the contract, but the policy of a user can do it.
  void policy_returnsNull_retriedInAMinute() {
    work((attempt, failure, random) -> null, new IOException());
    assertThat(untilDue()).isEqualTo(MINUTE);
  }

  @Test
  void policy_limitOutOfRange_workerIsRefused() {
    RetryPolicy policy =
        new RetryPolicy() {
          @Override
          public int maxAttempts() {
            return 0;
          }

          @Override
          public Optional<Duration> delayAfter(
              int attempt, Throwable failure, RandomGenerator random) {
            return Optional.empty();
          }
        };
    assertThatIllegalArgumentException()
        .isThrownBy(() -> world.queue.work(inline().retryPolicy(policy).build(), delivery -> {}))
        .withMessageContaining("maxAttempts");
  }
}
