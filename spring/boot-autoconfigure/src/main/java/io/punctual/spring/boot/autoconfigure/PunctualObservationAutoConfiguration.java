package io.punctual.spring.boot.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.micrometer.LinkingTracingObservationHandler;
import io.punctual.micrometer.ProcessConvention;
import io.punctual.micrometer.PunctualObservations;
import io.punctual.micrometer.ScheduleConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Observations of schedules and handlers, if there is a registry. */
@AutoConfiguration(
    after = PunctualAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
    })
@ConditionalOnClass({PunctualObservations.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "punctual.observation.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PunctualObservationProperties.class)
public final class PunctualObservationAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  static PunctualObservations punctualObservations(
      ObservationRegistry registry,
      PunctualObservationProperties properties,
      ObjectProvider<ScheduleConvention> scheduleConvention,
      ObjectProvider<ProcessConvention> processConvention) {
    PunctualObservations.Builder builder =
        PunctualObservations.builder(registry).propagation(properties.propagation());
    scheduleConvention.ifUnique(builder::scheduleConvention);
    processConvention.ifUnique(builder::processConvention);
    return builder.build();
  }

  /** Links in traces. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Tracer.class, Propagator.class})
  @ConditionalOnBean({Tracer.class, Propagator.class})
  static class Tracing {
    /** Spring Boot's handler of all receivers, of which only the first may run. */
    private static final int BEFORE_RECEIVERS = 1000 - 10;

    /** Also beside a handler of the application, which runs only if its order is smaller. */
    @Bean
    @Order(BEFORE_RECEIVERS)
    LinkingTracingObservationHandler punctualLinkingTracingObservationHandler(
        Tracer tracer, Propagator propagator) {
      return new LinkingTracingObservationHandler(tracer, propagator);
    }
  }
}
