package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.punctual.Codec;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the timers without observations, compared with the timers of observations. */
class PunctualTimersTest {
  private final MeterRegistry observed = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock());
  private final MeterRegistry timed = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock());
  private @Nullable MeteredWorld world;

  /** A clock that reads the manual clock of the world. */
  private Clock clock() {
    return new Clock() {
      @Override
      public long wallTime() {
        return world == null ? 0 : world.clock.instant().toEpochMilli();
      }

      @Override
      public long monotonicTime() {
        return world == null ? 0 : world.clock.nanoTime();
      }
    };
  }

  private Interceptor observations() {
    ObservationRegistry observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(observed));
    return PunctualObservations.builder(observations).build();
  }

  /** Opens a client with both interceptors, which see the same calls. */
  private MeteredWorld open(PunctualTimers timers) {
    world =
        new MeteredWorld(
            PunctualMeters.builder(new SimpleMeterRegistry()), List.of(observations(), timers));
    return world;
  }

  /** The meters: name, tags and type, with their values. */
  private static Map<String, Map<Statistic, Double>> meters(MeterRegistry registry) {
    Map<String, Map<Statistic, Double>> meters = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      Map<Statistic, Double> values = new TreeMap<>();
      for (Measurement each : meter.measure()) {
        values.put(each.getStatistic(), each.getValue());
      }
      Meter.Id id = meter.getId();
      meters.put(id.getType() + " " + id.getName() + id.getTags(), values);
    }
    return meters;
  }

  /**
   * Runs handlers that succeed, fail, and fail with an exception without a simple name. Calls
   * {@code look} while the handlers run, and after their end.
   */
  private static void handle(MeteredWorld world, Runnable look) {
    Map<String, CompletableFuture<Void>> stages = new TreeMap<>();
    world.queue.workStages(
        MeteredWorld.inline().name("mail").concurrency(9).retryPolicy(RetryPolicy.never()).build(),
        delivery -> stages.computeIfAbsent(delivery.id(), id -> new CompletableFuture<>()));
    for (String id : List.of("a", "b", "c", "d", "e")) {
      world.queue.schedule(Message.of(id).id(id));
    }
    assertThatThrownBy(() -> world.queue.schedule(Message.of("f").header("h", "x".repeat(100_000))))
        .isInstanceOf(IllegalArgumentException.class);
    world.advance(Duration.ofSeconds(1));
    assertThat(stages).hasSize(5);
    look.run();
    stages.get("a").complete(null);
    world.advance(Duration.ofSeconds(3));
    stages.get("b").complete(null);
    stages.get("c").completeExceptionally(new IllegalStateException("expected"));
    world.advance(Duration.ofMillis(1500));
    stages.get("d").completeExceptionally(new IllegalStateException("expected"));
    stages.get("e").completeExceptionally(new RuntimeException("expected") {});
    look.run();
  }

  private void handleBatch(MeteredWorld world) {
    var batches = world.punctual.queue("batches", Codec.string());
    batches.workBatches(MeteredWorld.inline().build(), deliveries -> {});
    batches.scheduleAll(List.of(Message.of("a"), Message.of("b")));
    world.advance(Duration.ofSeconds(1));
  }

  @Test
  void timersOfTheSameCalls_equalThoseOfObservations() {
    try (MeteredWorld world = open(PunctualTimers.builder(timed).build())) {
      handle(world, () -> assertThat(meters(timed)).isEqualTo(meters(observed)));
      handleBatch(world);
      assertThat(meters(timed)).isEqualTo(meters(observed));
      assertThat(
              timed
                  .get("punctual.process")
                  .tags(
                      "queue", "orders", "listener", "mail", "outcome", "success", "error", "none")
                  .timer()
                  .totalTime(TimeUnit.MILLISECONDS))
          .isEqualTo(5000);
      assertThat(
              timed.get("punctual.process").tags("error", "IllegalStateException").timer().count())
          .isEqualTo(2);
      assertThat(timed.get("punctual.schedule").tags("outcome", "failure").timer().count())
          .isEqualTo(1);
    }
  }

  @Test
  void withoutLongTaskTimers_theOtherTimersAreTheSame() {
    try (MeteredWorld world = open(PunctualTimers.builder(timed).longTaskTimers(false).build())) {
      handle(world, () -> {});
      Map<String, ?> expected = meters(observed);
      assertThat(expected.keySet().removeIf(key -> key.contains(".active"))).isTrue();
      assertThat(meters(timed)).isEqualTo(expected).isNotEmpty();
    }
  }

  @Test
  void longTaskTimer_countsRunningHandlers() {
    try (MeteredWorld world = open(PunctualTimers.builder(timed).build())) {
      CompletableFuture<Void> stage = new CompletableFuture<>();
      world.queue.workStages(MeteredWorld.inline().build(), delivery -> stage);
      world.queue.schedule("a", Duration.ZERO);
      world.advance(Duration.ofSeconds(1));
      assertThat(timed.get("punctual.process.active").longTaskTimer().activeTasks()).isEqualTo(1);
      stage.complete(null);
      assertThat(timed.get("punctual.process.active").longTaskTimer().activeTasks()).isZero();
    }
  }

  @Test
  void tagsOfTheClient_areOnEachTimer() {
    try (MeteredWorld world =
        open(PunctualTimers.builder(timed).tags(Tags.of("client", "shop")).build())) {
      handleBatch(world);
      assertThat(timed.getMeters())
          .hasSize(4)
          .allSatisfy(meter -> assertThat(meter.getId().getTag("client")).isEqualTo("shop"));
    }
  }

  @Test
  void timers_addNoHeaders() {
    try (MeteredWorld world = open(PunctualTimers.builder(timed).build())) {
      world.queue.schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
      assertThat(world.queue.find("a").orElseThrow().headers()).isEmpty();
    }
  }
}
