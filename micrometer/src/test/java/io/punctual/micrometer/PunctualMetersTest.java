package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.RetryPolicy;
import io.punctual.Worker;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the meters of a client's events and workers. */
class PunctualMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MeteredWorld world = new MeteredWorld(registry);

  @AfterEach
  void close() {
    world.close();
  }

  private Timer lateness(String attempt) {
    return registry.get("punctual.lateness").tags("queue", "orders", "attempt", attempt).timer();
  }

  private double settled(String outcome) {
    return registry
        .get("punctual.settled")
        .tags("queue", "orders", "outcome", outcome)
        .counter()
        .count();
  }

  private double buried(String cause) {
    return registry
        .get("punctual.buried")
        .tags("queue", "orders", "cause", cause)
        .counter()
        .count();
  }

  @Test
  void lateness_isMeasuredForFirstAttemptsAndRetries_inBuckets() {
    world.queue.schedule("late", Duration.ZERO);
    world.advance(Duration.ofSeconds(3));
    RetryPolicy policy = RetryPolicy.delays(List.of(Duration.ofSeconds(1)));
    world.queue.work(
        MeteredWorld.inline().retryPolicy(policy).build(),
        delivery -> {
          throw new IllegalStateException("expected");
        });
    world.advance(Duration.ofSeconds(5));
    assertThat(lateness("first").count()).isEqualTo(1);
    assertThat(lateness("first").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(3000);
    assertThat(lateness("retry").count()).isEqualTo(1);
    assertThat(countUpTo(lateness("first"), Duration.ofMillis(2500))).isZero();
    assertThat(countUpTo(lateness("first"), Duration.ofSeconds(5))).isEqualTo(1);
  }

  private static double countUpTo(Timer timer, Duration limit) {
    return Arrays.stream(timer.takeSnapshot().histogramCounts())
        .filter(bucket -> bucket.bucket(TimeUnit.NANOSECONDS) == limit.toNanos())
        .mapToDouble(CountAtBucket::count)
        .sum();
  }

  @Test
  void settlements_areCountedByTheirOutcome() {
    world.queue.schedule(Message.of("a").id("a"));
    claim().retry(Duration.ofSeconds(1));
    claim().defer(Duration.ofSeconds(1));
    claim().release();
    claim().repeat(Due.after(Duration.ofSeconds(1)));
    claim().ack();
    world.queue.schedule(Message.of("b").id("b"));
    claim().bury("for the test");
    world.queue.schedule(Message.of("c").id("c"));
    Delivery<String> cancelled = claim();
    world.queue.cancel("c");
    cancelled.release();
    world.queue.schedule(Message.of("d").id("d"));
    Delivery<String> lost = claim();
    world.advance(Duration.ofMinutes(2));
    claim().ack();
    lost.ack();
    assertThat(settled("retried")).isEqualTo(1);
    assertThat(settled("deferred")).isEqualTo(1);
    assertThat(settled("released")).isEqualTo(1);
    assertThat(settled("repeated")).isEqualTo(1);
    assertThat(settled("acked")).isEqualTo(2);
    assertThat(settled("buried")).isEqualTo(1);
    assertThat(settled("discarded")).isEqualTo(1);
    assertThat(settled("lease_lost")).isEqualTo(1);
    assertThat(buried("by_caller")).isEqualTo(1);
    assertThat(buried("failed")).isZero();
  }

  @Test
  void recurringMessages_countRepeatsAndFailedOccurrences() {
    world.queue.schedule(Message.of("a").id("a").recurring(Recurrence.every(Duration.ofHours(1))));
    claim().ack();
    world.queue.work(
        MeteredWorld.inline().retryPolicy(RetryPolicy.never()).build(),
        delivery -> {
          throw new IllegalStateException("expected");
        });
    world.advance(Duration.ofHours(1));
    assertThat(settled("repeated")).isEqualTo(1);
    assertThat(settled("occurrence_failed")).isEqualTo(1);
    assertThat(settled("buried")).isZero();
    assertThat(buried("failed")).isZero();
  }

  private Delivery<String> claim() {
    world.advance(Duration.ofSeconds(2));
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
  }

  @Test
  void deadLetters_areCountedByTheirCause() {
    world.queue.schedule("a", Duration.ZERO);
    world.queue.work(
        MeteredWorld.inline().retryPolicy(RetryPolicy.never()).build(),
        delivery -> {
          throw new IllegalStateException("expected");
        });
    world.advance(Duration.ofSeconds(1));
    assertThat(buried("failed")).isEqualTo(1);
    assertThat(settled("buried")).isEqualTo(1);
  }

  @Test
  void newWorker_hasAllItsCountersAtZero_soThatRatesBeginWithTheFirstMessage() {
    world.queue.work(MeteredWorld.inline().build(), delivery -> {});
    for (Settled outcome : Settled.values()) {
      assertThat(settled(outcome.tag())).isZero();
    }
    assertThat(lateness("first").count()).isZero();
  }

  @Test
  void workersOfTheSameName_shareTheGauges_untilTheLastOfThemEnds() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    Worker first =
        world.queue.workStages(
            MeteredWorld.inline().name("mail").concurrency(3).build(), delivery -> stage);
    Worker second =
        world.queue.workStages(
            MeteredWorld.inline().name("mail").concurrency(4).build(), delivery -> stage);
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofSeconds(1));
    assertThat(worker("punctual.worker.running")).isEqualTo(1);
    assertThat(worker("punctual.worker.concurrency")).isEqualTo(7);
    stage.complete("done");
    world.advance(Duration.ofSeconds(1));
    assertThat(worker("punctual.worker.running")).isZero();
    first.close(Duration.ZERO);
    assertThat(worker("punctual.worker.concurrency")).isEqualTo(4);
    second.close(Duration.ZERO);
    assertThat(registry.find("punctual.worker.concurrency").gauges()).isEmpty();
  }

  private double worker(String name) {
    return registry.get(name).tags("queue", "orders", "listener", "mail").gauge().value();
  }

  @Test
  void outage_isMeasuredWhenItEnds() {
    world.meters.on(new Event.StoreRecovered("orders", Duration.ofSeconds(7)));
    assertThat(registry.get("punctual.store.outage").timer().totalTime(TimeUnit.SECONDS))
        .isEqualTo(7);
  }

  @Test
  void unknownEvent_isIgnored() {
    world.meters.on(() -> "orders");
    assertThat(registry.find("punctual.settled").counters()).isEmpty();
  }

  @Test
  void gauges_areRefreshedInTheBackground_andRemovedWithTheClient() {
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    PunctualMeters meters =
        PunctualMeters.builder(other)
            .queueGauges(QueueGauges.ALL)
            .refresh(Duration.ofMillis(100))
            .build();
    Punctual punctual = Punctual.builder().url("memory:").observer(meters).build();
    meters.bindTo(punctual);
    punctual.queue("mails", Codec.string()).schedule("a", Duration.ofHours(1));
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(
                        other
                            .get("punctual.queue.messages")
                            .tags("queue", "mails", "state", "scheduled")
                            .gauge()
                            .value())
                    .isEqualTo(1));
    assertThatThrownBy(() -> meters.bindTo(punctual)).isInstanceOf(IllegalStateException.class);
    punctual.close();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> other.find("punctual.queue.messages").gauges().isEmpty());
    assertThat(other.find("punctual.store.up").gauges()).isEmpty();
  }
}
