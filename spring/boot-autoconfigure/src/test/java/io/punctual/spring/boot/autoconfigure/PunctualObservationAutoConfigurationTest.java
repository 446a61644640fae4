package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.micrometer.LinkingTracingObservationHandler;
import io.punctual.micrometer.PunctualObservations;
import io.punctual.micrometer.ScheduleConvention;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class PunctualObservationAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualObservationAutoConfiguration.class,
                  PunctualAutoConfiguration.class,
                  ObservationAutoConfiguration.class,
                  MicrometerTracingAutoConfiguration.class))
          .withPropertyValues("punctual.url=memory:");

  static final class Names implements ObservationHandler<Observation.Context> {
    final List<String> started = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(Observation.Context context) {
      started.add(context.getName());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private static void schedule(Punctual punctual) {
    punctual.queue("orders", Codec.string()).schedule("later", Duration.ofHours(1));
  }

  @Test
  void registryOfSpringBoot_receivesTheObservations() {
    runner
        .withBean(Names.class)
        .run(
            context -> {
              schedule(context.getBean(Punctual.class));
              assertThat(context.getBean(Names.class).started).containsExactly("punctual.schedule");
            });
  }

  @Test
  void conventionOfTheApplication_isUsed() {
    ScheduleConvention convention =
        new ScheduleConvention() {
          @Override
          public String getName() {
            return "shop.schedule";
          }
        };
    runner
        .withBean(Names.class)
        .withBean(ScheduleConvention.class, () -> convention)
        .run(
            context -> {
              schedule(context.getBean(Punctual.class));
              assertThat(context.getBean(Names.class).started).containsExactly("shop.schedule");
            });
  }

  @Test
  void disabled_observesNothing() {
    runner
        .withPropertyValues("punctual.observation.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(PunctualObservations.class));
  }

  @Test
  void micrometerIsAbsent_observesNothing() {
    runner
        .withClassLoader(new FilteredClassLoader("io.micrometer"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Punctual.class));
  }

  @Test
  void noRegistry_observesNothing() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PunctualObservationAutoConfiguration.class, PunctualAutoConfiguration.class))
        .withPropertyValues("punctual.url=memory:")
        .run(context -> assertThat(context).doesNotHaveBean(PunctualObservations.class));
  }

  @Test
  void observationsOfTheApplication_replaceOurs() {
    PunctualObservations own = PunctualObservations.builder(ObservationRegistry.create()).build();
    runner
        .withBean("own", PunctualObservations.class, () -> own)
        .run(context -> assertThat(context).getBean(PunctualObservations.class).isSameAs(own));
  }

  @Test
  void tracer_hasTheLinkingHandlerBeforeTheHandlersOfSpringBoot() {
    runner
        .withBean(Tracer.class, () -> Tracer.NOOP)
        .withBean(Propagator.class, () -> Propagator.NOOP)
        .run(
            context -> {
              List<?> handlers =
                  context.getBeanProvider(TracingObservationHandler.class).orderedStream().toList();
              assertThat(handlers).hasSizeGreaterThan(2);
              assertThat(handlers.get(0)).isInstanceOf(LinkingTracingObservationHandler.class);
            });
  }

  /**
   * A handler without an order is behind Spring Boot's receiver handler and never runs, so the
   * auto-configuration must still add its own handler.
   */
  @Test
  void linkingHandlerOfTheApplicationWithoutAnOrder_leavesOursFirst() {
    runner
        .withBean(Tracer.class, () -> Tracer.NOOP)
        .withBean(Propagator.class, () -> Propagator.NOOP)
        .withBean(
            "own",
            LinkingTracingObservationHandler.class,
            () -> new LinkingTracingObservationHandler(Tracer.NOOP, Propagator.NOOP))
        .run(
            context -> {
              assertThat(context).hasSingleBean(PropagatingReceiverTracingObservationHandler.class);
              List<?> handlers =
                  context.getBeanProvider(TracingObservationHandler.class).orderedStream().toList();
              assertThat(handlers.get(0)).isInstanceOf(LinkingTracingObservationHandler.class);
            });
  }

  @Test
  void tracingIsAbsent_observesWithoutLinks() {
    runner
        .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(PunctualObservations.class)
                    .doesNotHaveBean("punctualLinkingTracingObservationHandler"));
  }

  @Test
  void noTracer_hasNoLinkingHandler() {
    runner.run(
        context -> assertThat(context).doesNotHaveBean(LinkingTracingObservationHandler.class));
  }
}
