package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the number of series in a scrape does not grow with the messages. */
class PrometheusSeriesTest {
  private static final int MESSAGES = Boolean.getBoolean("punctual.thorough") ? 10_000 : 1_000;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private long series() {
    return registry.scrape().lines().filter(line -> !line.startsWith("#")).count();
  }

  @Test
  void manyIdsAndExceptions_addNoSeries() {
    ObservationRegistry observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(registry));
    try (MeteredWorld world =
        new MeteredWorld(
            PunctualMeters.builder(registry),
            List.of(PunctualObservations.builder(observations).build()))) {
      world.queue.work(
          MeteredWorld.inline().retryPolicy(RetryPolicy.never()).build(),
          delivery -> {
            if (delivery.payload().hashCode() % 2 == 0) {
              throw new IllegalStateException("no order " + delivery.id());
            }
          });
      handle(world, 0, 100);
      long before = series();
      handle(world, 100, MESSAGES);
      world.refresh.run();
      assertThat(series()).isEqualTo(before);
      assertThat(registry.scrape()).contains("IllegalStateException").doesNotContain("no order");
      assertThat(registry.get("punctual.lateness").tag("attempt", "first").timer().count())
          .isEqualTo(MESSAGES);
    }
  }

  private static void handle(MeteredWorld world, int from, int to) {
    for (int i = from; i < to; i++) {
      world.queue.schedule(Message.of("order-" + i).id("id-" + i));
    }
    world.advance(Duration.ofSeconds(10));
    world.refresh.run();
  }
}
