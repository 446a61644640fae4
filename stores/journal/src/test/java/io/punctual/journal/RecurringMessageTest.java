package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.TimedQueue;
import io.punctual.test.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recurring message keeps its recurrence, and the planned time of its occurrence, after restarts.
 */
final class RecurringMessageTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final Instant start = clock.instant();

  private void process(Consumer<TimedQueue<String>> work) {
    JournalStore store = JournalStore.builder(folder.resolve("journal")).clock(clock).open();
    try (Punctual punctual = Punctual.builder().store(store).build()) {
      work.accept(punctual.queue("q", Codec.string()));
    }
  }

  private static Delivery<String> claim(TimedQueue<String> queue) {
    return queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
  }

  @Test
  void restart_betweenAllSteps_keepsTheRhythm() {
    process(
        queue ->
            queue.schedule(Message.of("x").id("a").dueIn(HOUR).recurring(Recurrence.every(HOUR))));
    clock.advance(HOUR);
    process(queue -> claim(queue).retry(Duration.ofMinutes(10), "first"));
    clock.advance(Duration.ofMinutes(10));
    process(queue -> claim(queue).defer(Duration.ofMinutes(10)));
    clock.advance(Duration.ofMinutes(10));
    process(
        queue -> {
          Delivery<String> delivery = claim(queue);
          assertThat(delivery.occurrence()).isEqualTo(start.plus(HOUR));
          delivery.ack();
        });
    clock.advance(HOUR.multipliedBy(3));
    process(
        queue -> assertThat(claim(queue).occurrence()).isEqualTo(start.plus(HOUR.multipliedBy(2))));
    clock.advance(Duration.ofMinutes(2));
    process(queue -> claim(queue).ack());
    process(
        queue ->
            assertThat(queue.find("a").orElseThrow().dueAt())
                .isEqualTo(start.plus(HOUR.multipliedBy(5))));
  }
}
