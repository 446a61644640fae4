package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.Worker;
import io.punctual.WorkerStats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerStatsTest {
  private static final RetryPolicy TWICE = RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(2);

  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void stats_newWorker_areZero() {
    Worker worker = world.queue.work(inline().build(), delivery -> {});
    assertThat(worker.stats()).isEqualTo(new WorkerStats(0, 0, 0, 0, Duration.ZERO, Duration.ZERO));
  }

  @Test
  void stats_handlerFailsAndSucceeds_attemptsAndDeadLettersAreCounted() {
    Worker worker =
        world.queue.work(
            inline().retryPolicy(TWICE).build(),
            delivery -> {
              if (delivery.payload().equals("bad")) {
                throw new IllegalStateException("bad");
              }
            });
    world.queue.schedule(Message.of("good"));
    world.queue.schedule(Message.of("bad"));
    world.advance(Duration.ofSeconds(2));
    assertThat(worker.stats().handled()).isEqualTo(3);
    assertThat(worker.stats().failed()).isEqualTo(2);
    assertThat(worker.stats().buried()).isEqualTo(1);
  }

  @Test
  void stats_undecodablePayload_failsWithoutAHandler() {
    world.punctual.queue("orders", Codec.bytes()).schedule(Message.of(new byte[] {(byte) 0xff}));
    Worker worker = world.queue.work(inline().retryPolicy(TWICE).build(), delivery -> {});
    world.advance(Duration.ofSeconds(2));
    assertThat(worker.stats().handled()).isZero();
    assertThat(worker.stats().failed()).isEqualTo(2);
    assertThat(worker.stats().buried()).isEqualTo(1);
  }

  @Test
  void stats_consumerBuries_isADeadLetterAndNoFailure() {
    Worker worker = world.queue.work(inline().build(), delivery -> delivery.bury("spam"));
    world.queue.schedule(Message.of("pens"));
    assertThat(worker.stats().failed()).isZero();
    assertThat(worker.stats().buried()).isEqualTo(1);
    assertThat(worker.stats().handled()).isEqualTo(1);
  }

  @Test
  void stats_lateMessages_haveTheLastAndTheGreatestLateness() {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Worker worker = world.queue.workStages(inline().concurrency(1).build(), delivery -> end);
    world.queue.schedule(Message.of("first").dueIn(Duration.ofSeconds(1)));
    world.queue.schedule(Message.of("second").dueIn(Duration.ofSeconds(3)));
    world.advance(Duration.ofSeconds(8));
    assertThat(worker.stats().running()).isEqualTo(1);
    end.complete(null);
    assertThat(worker.stats().lateness()).isEqualTo(Duration.ofSeconds(5));
    world.queue.schedule(Message.of("third"));
    assertThat(worker.stats().lateness()).isZero();
    assertThat(worker.stats().maxLateness()).isEqualTo(Duration.ofSeconds(5));
    assertThat(worker.stats().running()).isZero();
    assertThat(worker.stats().handled()).isEqualTo(3);
  }

  @Test
  void stats_dueInTheYear1601_isHandledAndReturnsItsPermit() {
    List<Delivery<String>> handled = new ArrayList<>();
    Worker worker = world.queue.work(inline().concurrency(1).build(), handled::add);
    world.queue.schedule(Message.of("a").dueAt(Instant.parse("1601-01-01T00:00:00Z")));
    world.queue.schedule(Message.of("b"));
    assertThat(handled).extracting(Delivery::payload).containsExactly("a", "b");
    assertThat(handled.get(0).lateness()).isGreaterThan(Duration.ofDays(290 * 365));
    assertThat(handled.get(0).lateness().toNanos()).isPositive();
    assertThat(worker.stats().maxLateness()).isEqualTo(handled.get(0).lateness());
    assertThat(worker.stats().running()).isZero();
  }
}
