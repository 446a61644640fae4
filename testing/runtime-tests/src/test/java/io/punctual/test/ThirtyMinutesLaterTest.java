package io.punctual.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a client and its workers on a manual clock, which advances by half an hour without a wait.
 */
final class ThirtyMinutesLaterTest {
  private final ManualClock clock = new ManualClock();
  private final List<String> closed = new CopyOnWriteArrayList<>();
  private final Punctual punctual =
      Punctual.builder().store(MemoryStore.builder().clock(clock).build()).timer(clock).build();

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  @Test
  void advance_thirtyMinutes_deliversWhatIsDueAndNothingBefore() {
    TimedQueue<String> timeouts = punctual.queue("order-timeout", Codec.string());
    timeouts.work(delivery -> closed.add(delivery.payload()));
    timeouts.schedule("order", Duration.ofMinutes(30));

    clock.advance(Duration.ofMinutes(30).minusNanos(1));
    assertThat(closed).isEmpty();

    clock.advance(Duration.ofNanos(1));
    await().untilAsserted(() -> assertThat(closed).containsExactly("order"));
    await().untilAsserted(() -> assertThat(timeouts.counts().pending()).isZero());
  }

  @Test
  void advance_handlerFailsOnce_deliversAgainWhenItsRetryIsDue() {
    TimedQueue<String> timeouts = punctual.queue("order-timeout", Codec.string());
    timeouts.work(
        WorkerOptions.builder().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(10))).build(),
        delivery -> {
          closed.add(delivery.payload() + " " + delivery.attempt());
          if (delivery.attempt() == 1) {
            throw new IllegalStateException("The first attempt fails");
          }
        });
    timeouts.schedule("order", Duration.ZERO);
    clock.advance(Duration.ofMillis(1));
    await().untilAsserted(() -> assertThat(closed).containsExactly("order 1"));
    await().untilAsserted(() -> assertThat(timeouts.counts().leased()).isZero());

    clock.advance(Duration.ofSeconds(10));
    await().untilAsserted(() -> assertThat(closed).containsExactly("order 1", "order 2"));
  }
}
