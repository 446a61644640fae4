package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationTextPublisher;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.Codec;
import io.punctual.Interceptor;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.micrometer.ProcessConvention;
import io.punctual.micrometer.PunctualObservations;
import io.punctual.micrometer.PunctualTimers;
import io.punctual.micrometer.ScheduleConvention;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Tests the conditions under which timers replace observations, and that both record equal timers.
 */
class TimersOrObservationsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualObservationAutoConfiguration.class,
                  PunctualMetricsAutoConfiguration.class,
                  PunctualAutoConfiguration.class,
                  ObservationAutoConfiguration.class,
                  MetricsAutoConfiguration.class,
                  CompositeMeterRegistryAutoConfiguration.class,
                  SimpleMetricsExportAutoConfiguration.class,
                  MicrometerTracingAutoConfiguration.class))
          .withPropertyValues("punctual.url=memory:");

  private static void timers(AssertableApplicationContext context) {
    assertThat(context)
        .hasNotFailed()
        .hasSingleBean(PunctualTimers.class)
        .hasSingleBean(Interceptor.class);
  }

  private static void observations(AssertableApplicationContext context) {
    assertThat(context)
        .hasNotFailed()
        .hasSingleBean(PunctualObservations.class)
        .hasSingleBean(Interceptor.class);
  }

  /**
   * Handles a message successfully and fails at a second message, and returns the counts of the
   * timers.
   */
  private static Map<String, Long> counts(AssertableApplicationContext context) {
    MeterRegistry registry = context.getBean(MeterRegistry.class);
    TimedQueue<String> queue = context.getBean(Punctual.class).queue("orders", Codec.string());
    queue.work(
        WorkerOptions.builder().retryPolicy(RetryPolicy.never()).build(),
        delivery -> {
          if (delivery.payload().equals("bad")) {
            throw new IllegalStateException("expected");
          }
        });
    queue.schedule("good", Duration.ZERO);
    queue.schedule("bad", Duration.ZERO);
    Map<String, Long> expected =
        Map.of(
            "punctual.schedule{error=none, outcome=success, queue=orders}",
            2L,
            "punctual.process{error=none, listener=orders, outcome=success, queue=orders}",
            1L,
            "punctual.process{error=IllegalStateException, listener=orders, outcome=failure,"
                + " queue=orders}",
            1L);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(timersOf(registry)).isEqualTo(expected));
    return timersOf(registry);
  }

  private static Map<String, Long> timersOf(MeterRegistry registry) {
    Map<String, Long> counts = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      String name = meter.getId().getName();
      if (meter instanceof Timer timer
          && (name.equals("punctual.process") || name.equals("punctual.schedule"))) {
        Map<String, String> tags = new TreeMap<>();
        meter.getId().getTags().forEach(tag -> tags.put(tag.getKey(), tag.getValue()));
        counts.put(name + tags, timer.count());
      }
    }
    return counts;
  }

  @Test
  void metersOfSpringBootOnly_haveTimersWithoutObservations() {
    runner.run(
        context -> {
          timers(context);
          assertThat(counts(context)).hasSize(3);
        });
  }

  @Test
  void enabled_hasObservationsWithTheSameTimers() {
    runner
        .withPropertyValues("punctual.observation.enabled=true")
        .run(
            context -> {
              observations(context);
              assertThat(counts(context)).hasSize(3);
            });
  }

  @Test
  void handlerOfTheApplication_getsObservations_andTimersCountOnce() {
    runner
        .withBean(ObservationTextPublisher.class, () -> new ObservationTextPublisher(text -> {}))
        .run(
            context -> {
              observations(context);
              assertThat(counts(context)).hasSize(3);
            });
  }

  @Test
  void longTaskTimers_areThereUnlessSpringBootIgnoresThem() {
    runner.run(
        context -> {
          counts(context);
          assertThat(names(context))
              .contains("punctual.process.active", "punctual.schedule.active");
        });
    runner
        .withPropertyValues("management.metrics.observations.ignored-meters=long-task-timer")
        .run(
            context -> {
              timers(context);
              counts(context);
              assertThat(names(context))
                  .contains("punctual.process", "punctual.schedule")
                  .doesNotContain("punctual.process.active", "punctual.schedule.active");
            });
  }

  private static List<String> names(AssertableApplicationContext context) {
    return context.getBean(MeterRegistry.class).getMeters().stream()
        .map(meter -> meter.getId().getName())
        .toList();
  }

  @Test
  void disabled_hasNeither() {
    runner
        .withPropertyValues("punctual.observation.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Interceptor.class));
  }

  @Test
  void tracer_getsObservations() {
    runner
        .withBean(Tracer.class, () -> Tracer.NOOP)
        .withBean(Propagator.class, () -> Propagator.NOOP)
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void tracingHandlerWithoutATracer_getsObservations() {
    runner
        .withBean(
            DefaultTracingObservationHandler.class,
            () -> new DefaultTracingObservationHandler(Tracer.NOOP))
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void tracingIsAbsent_hasTimers() {
    runner
        .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
        .run(TimersOrObservationsTest::timers);
  }

  @Test
  void metersAreAbsent_getsObservations() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PunctualObservationAutoConfiguration.class,
                PunctualMetricsAutoConfiguration.class,
                PunctualAutoConfiguration.class,
                ObservationAutoConfiguration.class))
        .withPropertyValues("punctual.url=memory:")
        .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void meterHandlerOfTheApplication_getsObservations() {
    runner
        .withBean(
            "own",
            DefaultMeterObservationHandler.class,
            () -> new DefaultMeterObservationHandler(new SimpleMeterRegistry()))
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void handlerDeclaredByItsInterface_getsObservations() {
    ObservationHandler<Observation.Context> handler = context -> true;
    runner
        .withBean("own", ObservationHandler.class, () -> handler)
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void conventionsOfTheApplication_getObservations() {
    runner
        .withBean(ScheduleConvention.class, () -> ScheduleConvention.DEFAULT)
        .run(TimersOrObservationsTest::observations);
    runner
        .withBean(ProcessConvention.class, () -> ProcessConvention.DEFAULT)
        .run(TimersOrObservationsTest::observations);
    runner
        .withBean(
            "own",
            GlobalObservationConvention.class,
            () -> (GlobalObservationConvention<Observation.Context>) context -> true)
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void filterPredicateOrCustomizerOfTheApplication_getsObservations() {
    runner
        .withBean("own", ObservationFilter.class, () -> context -> context)
        .run(TimersOrObservationsTest::observations);
    runner
        .withBean("own", ObservationPredicate.class, () -> (name, context) -> true)
        .run(TimersOrObservationsTest::observations);
    runner
        .withBean("own", ObservationRegistryCustomizer.class, () -> registry -> {})
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void registryOfTheApplication_getsObservations() {
    runner
        .withBean("own", ObservationRegistry.class, ObservationRegistry::create)
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void propertiesThatChangeTheObservations_getObservations() {
    runner
        .withPropertyValues("management.observations.key-values.shop=books")
        .run(TimersOrObservationsTest::observations);
    runner
        .withPropertyValues("management.observations.enable.punctual.process=false")
        .run(TimersOrObservationsTest::observations);
    runner
        .withPropertyValues("management.observations.enable.all=false")
        .run(TimersOrObservationsTest::observations);
  }

  @Test
  void propertiesOfDifferentObservations_leaveTheTimers() {
    runner
        .withPropertyValues("management.observations.enable.spring.security=false")
        .run(TimersOrObservationsTest::timers);
  }

  @Test
  void timersOrObservationsOfTheApplication_replaceOurs() {
    PunctualTimers timers = PunctualTimers.builder(new SimpleMeterRegistry()).build();
    runner
        .withPropertyValues("punctual.observation.enabled=true")
        .withBean("own", PunctualTimers.class, () -> timers)
        .run(context -> assertThat(context).getBean(Interceptor.class).isSameAs(timers));
    PunctualObservations observations =
        PunctualObservations.builder(ObservationRegistry.create()).build();
    runner
        .withBean("own", PunctualObservations.class, () -> observations)
        .run(context -> assertThat(context).getBean(Interceptor.class).isSameAs(observations));
  }
}
