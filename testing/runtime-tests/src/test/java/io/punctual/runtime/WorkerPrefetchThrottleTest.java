package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import io.punctual.spi.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a worker claims nothing for its prefetch while its throttle admits no claims. */
class WorkerPrefetchThrottleTest {
  private final ManualWorld world = new ManualWorld();

  /** The payloads that handlers have received, in this order. */
  private final List<String> started = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private static WorkerOptions.Builder options() {
    return inline().concurrency(1).prefetch(5);
  }

  private void schedule(int from, int to) {
    world.queue.scheduleAll(
        IntStream.range(from, to).mapToObj(i -> Message.of("m" + i).id("m" + i)).toList());
  }

  @Test
  void prefetch_executorRefuses_claimsNothingDuringTheHoldOff() {
    boolean[] full = {true};
    world.queue.work(
        options()
            .executor(
                task -> {
                  if (full[0]) {
                    throw new RejectedExecutionException("full");
                  }
                  task.run();
                })
            .build(),
        delivery -> started.add(delivery.payload()));
    schedule(0, 1);
    assertThat(world.events(Event.MessagesClaimed.class)).hasSize(1);
    schedule(1, 20);
    world.advance(Duration.ofMillis(999));
    assertThat(world.events(Event.MessagesClaimed.class)).hasSize(1);
    assertThat(world.queue.counts().ready()).isEqualTo(20);
    full[0] = false;
    world.advance(Duration.ofMillis(1));
    assertThat(started).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void prefetch_thousandSettlementsWait_claimsNothingUntilOneIsAnswered() {
    HeldClaims held = new HeldClaims(body -> body instanceof Call.Apply);
    int claimsMeanwhile;
    int startedMeanwhile;
    try (Punctual punctual =
        Punctual.builder()
            .store(held.of(world.store))
            .timer(world.clock)
            .observer(world.events::add)
            .build()) {
      punctual
          .queue("orders", Codec.string())
          .work(options().build(), delivery -> started.add(delivery.payload()));
      schedule(0, 1000);
      int claimsBefore = world.events(Event.MessagesClaimed.class).size();
      schedule(1000, 1020);
      world.advance(Duration.ofMillis(500));
      claimsMeanwhile = world.events(Event.MessagesClaimed.class).size() - claimsBefore;
      startedMeanwhile = started.size();
      for (int i = 0; i < 100; i++) {
        held.answer();
        world.advance(Duration.ofMillis(2));
      }
    }
    assertThat(startedMeanwhile).isEqualTo(1000);
    assertThat(claimsMeanwhile).isZero();
    assertThat(started).hasSize(1020).doesNotHaveDuplicates();
  }
}
