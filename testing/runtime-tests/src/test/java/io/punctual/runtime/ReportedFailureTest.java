package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.ReportedException;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests failed attempts that a process reports by the receipt of a delivery. */
class ReportedFailureTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private Delivery<String> claimed(String id) {
    world.queue.schedule(Message.of("x").id(id));
    return claimed();
  }

  private Delivery<String> claimed() {
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR)).get(0);
  }

  private SettleOutcome settle(Settlement settlement) {
    return world.queue.settle(List.of(settlement)).get(0);
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  private static void fail() {
    throw new IllegalStateException("broken");
  }

  private static RuntimeException failure() {
    try {
      fail();
    } catch (IllegalStateException e) {
      return e;
    }
    throw new AssertionError();
  }

  @Test
  void reportedException_ofJava_isTheFailureThatAWorkerRecords() {
    RuntimeException failure = failure();
    Delivery<String> reported = claimed("reported");
    settle(new Settlement.Fail(reported.receipt(), failure, RetryPolicy.never()));
    world.queue.work(
        ManualWorld.inline().retryPolicy(RetryPolicy.never()).build(),
        delivery -> {
          throw failure;
        });
    world.queue.schedule(Message.of("x").id("handled"));
    assertThat(List.of(find("reported"), find("handled")))
        .extracting(StoredMessage::deadReason, StoredMessage::reason, StoredMessage::failures)
        .containsOnly(
            tuple(
                Optional.of(DeadReason.FAILED),
                Optional.of("java.lang.IllegalStateException: broken"),
                find("handled").failures()));
    assertThat(world.queue.deadLetters().groups(DeadLetterFilter.ALL).groups())
        .singleElement()
        .satisfies(group -> assertThat(group.count()).isEqualTo(2));
    assertThat(world.events(Event.MessageBuried.class))
        .allSatisfy(event -> assertThat(event.failure()).isSameAs(failure))
        .hasSize(2);
  }

  @Test
  void policyThrows_retriesAfterAMinute() {
    RetryPolicy broken =
        (attempt, failure, random) -> {
          throw new IllegalStateException("the policy is broken");
        };
    settle(new Settlement.Fail(claimed("a").receipt(), failure(), broken));
    assertThat(find("a").dueAt()).isEqualTo(world.clock.instant().plusSeconds(60));
    assertThat(world.events(Event.MessageRetried.class)).hasSize(1);
  }

  @Test
  void withoutPolicy_retriesFourTimes() {
    claimed("a").release();
    for (int attempt = 1; attempt < 5; attempt++) {
      settle(new Settlement.Fail(claimed().receipt(), failure()));
      assertThat(find("a").state()).isNotEqualTo(State.DEAD); // the random delay can be zero
      world.queue.runNow("a");
    }
    settle(new Settlement.Fail(claimed().receipt(), failure()));
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void reportedException_badInput_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReportedException(" ", "declined", ""))
        .withMessageContaining("needs a type");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReportedException("CardError\nat", "declined", ""))
        .withMessageContaining("type of a reported failure has control characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReportedException("CardError", "declined", "a.py\r\n"))
        .withMessageContaining("place of a reported failure has control characters");
    ReportedException failure = new ReportedException("CardError", "declined", "cards.py:42");
    assertThat(failure).hasToString("CardError: declined");
    assertThat(failure.getStackTrace()).isEmpty();
  }

  @Test
  void reportedException_longTexts_areCut() {
    String text = "é".repeat(100_000);
    ReportedException failure = new ReportedException(text, text, text);
    Delivery<String> delivery = claimed("a");
    assertThat(settle(new Settlement.Fail(delivery.receipt(), failure, RetryPolicy.never())))
        .isEqualTo(SettleOutcome.DONE);
    assertThat(find("a").reason().map(String::length)).isEqualTo(Optional.of(300));
  }
}
