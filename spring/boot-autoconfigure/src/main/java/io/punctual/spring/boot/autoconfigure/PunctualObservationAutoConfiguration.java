package io.punctual.spring.boot.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.Interceptor;
import io.punctual.micrometer.LinkingTracingObservationHandler;
import io.punctual.micrometer.ProcessConvention;
import io.punctual.micrometer.PunctualObservations;
import io.punctual.micrometer.PunctualTimers;
import io.punctual.micrometer.ScheduleConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Configures the observations of schedules and handlers, or only their timers, if the context has
 * an observation registry.
 */
@AutoConfiguration(
    after = PunctualAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
    })
@ConditionalOnClass({PunctualObservations.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "punctual.observation.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PunctualObservationProperties.class)
public final class PunctualObservationAutoConfiguration {
  /**
   * Returns the observations, or only their timers if only Spring Boot's meters would receive the
   * observations.
   */
  @Bean
  @ConditionalOnMissingBean({PunctualObservations.class, PunctualTimers.class})
  static Interceptor punctualObservations(
      ObservationRegistry registry,
      PunctualObservationProperties properties,
      ObjectProvider<ScheduleConvention> scheduleConvention,
      ObjectProvider<ProcessConvention> processConvention,
      ConfigurableListableBeanFactory beans,
      Environment environment) {
    Interceptor timers =
        properties.enabled() == null ? new ObservationReceivers(beans, environment).timers() : null;
    if (timers != null) {
      return timers;
    }
    PunctualObservations.Builder builder =
        PunctualObservations.builder(registry).propagation(properties.propagation());
    scheduleConvention.ifUnique(builder::scheduleConvention);
    processConvention.ifUnique(builder::processConvention);
    return builder.build();
  }

  /** The observation handler that links traces. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Tracer.class, Propagator.class})
  @ConditionalOnBean({Tracer.class, Propagator.class})
  static class Tracing {
    /**
     * An order before Spring Boot's receiver handler, which has the order 1000. Only the first
     * handler that supports an observation runs.
     */
    private static final int BEFORE_RECEIVERS = 1000 - 10;

    /**
     * Returns the handler. The bean exists even if the application has a bean of this type; the
     * application's handler takes precedence if its order is lower.
     */
    @Bean
    @Order(BEFORE_RECEIVERS)
    LinkingTracingObservationHandler punctualLinkingTracingObservationHandler(
        Tracer tracer, Propagator propagator) {
      return new LinkingTracingObservationHandler(tracer, propagator);
    }
  }
}
