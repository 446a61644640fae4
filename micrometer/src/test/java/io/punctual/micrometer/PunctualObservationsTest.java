package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the observations of schedules and handlers. */
class PunctualObservationsTest {
  private final TestObservationRegistry registry = TestObservationRegistry.create();

  private static MeteredWorld world(PunctualObservations observations) {
    return new MeteredWorld(
        PunctualMeters.builder(new SimpleMeterRegistry()), List.of(observations));
  }

  private MeteredWorld world() {
    return world(PunctualObservations.builder(registry).build());
  }

  @Test
  void scheduleAndHandler_areObserved() {
    try (MeteredWorld world = world()) {
      world.queue.schedule(Message.of("a").id("a"));
      List<Observation> current = new ArrayList<>();
      world.queue.work(
          MeteredWorld.inline().name("mail").build(),
          delivery -> current.add(registry.getCurrentObservation()));
      world.advance(Duration.ofSeconds(1));
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.schedule")
          .that()
          .hasContextualNameEqualTo("schedule orders")
          .hasLowCardinalityKeyValue("queue", "orders")
          .hasLowCardinalityKeyValue("outcome", "success")
          .hasHighCardinalityKeyValue("messaging.message.id", "a")
          .hasBeenStarted()
          .hasBeenStopped();
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.process")
          .that()
          .hasContextualNameEqualTo("process orders")
          .hasLowCardinalityKeyValue("queue", "orders")
          .hasLowCardinalityKeyValue("listener", "mail")
          .hasLowCardinalityKeyValue("outcome", "success")
          .hasHighCardinalityKeyValue("messaging.message.id", "a")
          .hasHighCardinalityKeyValue("punctual.attempt", "1")
          .hasBeenStarted()
          .hasBeenStopped();
      assertThat(current).hasSize(1).doesNotContainNull();
      assertThat(registry.getCurrentObservation()).isNull();
    }
  }

  @Test
  void failedHandler_hasItsErrorAndOutcome() {
    try (MeteredWorld world = world()) {
      world.queue.schedule("a", Duration.ZERO);
      world.queue.work(
          MeteredWorld.inline().retryPolicy(RetryPolicy.never()).build(),
          delivery -> {
            throw new IllegalStateException("expected");
          });
      world.advance(Duration.ofSeconds(1));
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.process")
          .that()
          .hasError()
          .hasLowCardinalityKeyValue("outcome", "failure")
          .hasBeenStopped();
      assertThat(registry.getCurrentObservation()).isNull();
    }
  }

  @Test
  void asynchronousHandler_isObservedUntilItsStageEnds_butInScopeOnlyOnItsThread() {
    try (MeteredWorld world = world()) {
      world.queue.schedule("a", Duration.ZERO);
      CompletableFuture<String> stage = new CompletableFuture<>();
      world.queue.workStages(MeteredWorld.inline().build(), delivery -> stage);
      world.advance(Duration.ofSeconds(1));
      assertThat(registry.getCurrentObservation()).isNull();
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.process")
          .that()
          .hasBeenStarted()
          .isNotStopped();
      stage.complete("done");
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.process")
          .that()
          .hasBeenStopped();
    }
  }

  @Test
  void batch_isASingleObservation() {
    try (MeteredWorld world = world()) {
      world.queue.scheduleAll(List.of(Message.of("a"), Message.of("b")));
      world.queue.workBatches(MeteredWorld.inline().build(), deliveries -> {});
      world.advance(Duration.ofSeconds(1));
      TestObservationRegistryAssert.assertThat(registry)
          .hasNumberOfObservationsWithNameEqualTo("punctual.process", 1)
          .hasObservationWithNameEqualTo("punctual.process")
          .that()
          .hasHighCardinalityKeyValue("messaging.batch.message_count", "2");
    }
  }

  @Test
  void refusedSchedule_isAFailure() {
    try (MeteredWorld world = world()) {
      Message<String> wrong = Message.of("a").header("h", "x".repeat(100_000));
      assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> world.queue.schedule(wrong)))
          .isInstanceOf(IllegalArgumentException.class);
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("punctual.schedule")
          .that()
          .hasLowCardinalityKeyValue("outcome", "failure")
          .hasError()
          .hasBeenStopped();
    }
  }

  @Test
  void conventions_canBeReplaced() {
    ProcessConvention tenants =
        new ProcessConvention() {
          @Override
          public String getName() {
            return "shop.process";
          }

          @Override
          public KeyValues getLowCardinalityKeyValues(ProcessContext context) {
            return ProcessConvention.super.getLowCardinalityKeyValues(context).and("shop", "books");
          }
        };
    ScheduleConvention shop =
        new ScheduleConvention() {
          @Override
          public String getName() {
            return "shop.schedule";
          }
        };
    PunctualObservations observations =
        PunctualObservations.builder(registry)
            .processConvention(tenants)
            .scheduleConvention(shop)
            .build();
    try (MeteredWorld world = world(observations)) {
      world.queue.schedule("a", Duration.ZERO);
      world.queue.work(MeteredWorld.inline().build(), delivery -> {});
      world.advance(Duration.ofSeconds(1));
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("shop.schedule");
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("shop.process")
          .that()
          .hasLowCardinalityKeyValue("shop", "books");
    }
  }

  @Test
  void meterHandler_makesTheTimersOfTheTable() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    ObservationRegistry observed = ObservationRegistry.create();
    observed.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    try (MeteredWorld world = world(PunctualObservations.builder(observed).build())) {
      world.queue.schedule("a", Duration.ZERO);
      List<Integer> active = new ArrayList<>();
      world.queue.work(
          MeteredWorld.inline().build(),
          delivery ->
              active.add(meters.get("punctual.process.active").longTaskTimer().activeTasks()));
      world.advance(Duration.ofSeconds(1));
      assertThat(active).containsExactly(1);
      assertThat(
              meters
                  .get("punctual.process")
                  .tags(
                      "queue",
                      "orders",
                      "listener",
                      "orders",
                      "outcome",
                      "success",
                      "error",
                      "none")
                  .timer()
                  .count())
          .isEqualTo(1);
      assertThat(
              meters
                  .get("punctual.schedule")
                  .tags("queue", "orders", "outcome", "success")
                  .timer()
                  .count())
          .isEqualTo(1);
    }
  }

  @Test
  void registryWithoutHandlers_addsNoHeaders() {
    try (MeteredWorld world =
        world(PunctualObservations.builder(ObservationRegistry.create()).build())) {
      world.queue.schedule(Message.of("a").id("a"));
      assertThat(world.queue.find("a").orElseThrow().headers()).isEmpty();
    }
  }
}
