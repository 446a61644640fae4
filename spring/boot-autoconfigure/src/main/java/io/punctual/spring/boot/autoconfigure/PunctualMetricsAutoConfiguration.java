package io.punctual.spring.boot.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.punctual.Punctual;
import io.punctual.lock.LockListener;
import io.punctual.micrometer.PunctualLockMeters;
import io.punctual.micrometer.PunctualMeters;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the meters of the client and of the locks, if the context has a meter registry. */
@AutoConfiguration(
    after = PunctualAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
    })
@ConditionalOnClass({PunctualMeters.class, MeterRegistry.class})
@ConditionalOnBean({Punctual.class, MeterRegistry.class})
@ConditionalOnBooleanProperty(name = "punctual.metrics.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PunctualMetricsProperties.class)
public final class PunctualMetricsAutoConfiguration {

  /**
   * Meters that observe the client. The refresh of their gauges starts when all singletons exist.
   */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(PunctualMeters.class)
  static class ClientMeters {
    @Bean(destroyMethod = "close")
    PunctualMeters punctualMeters(MeterRegistry registry, PunctualMetricsProperties properties) {
      return PunctualMeters.builder(registry)
          .queueGauges(properties.queueGauges())
          .queues(properties.queues().stream().distinct().toArray(String[]::new))
          .refresh(properties.refresh())
          .build();
    }

    @Bean
    SmartInitializingSingleton punctualMetersBinding(
        PunctualMeters meters, ObjectProvider<Punctual> client) {
      return () -> client.ifUnique(meters::bindTo);
    }
  }

  /** Meters that listen to the events of the locks. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(LockListener.class)
  static class LockMeters {
    @Bean
    @ConditionalOnMissingBean
    PunctualLockMeters punctualLockMeters(MeterRegistry registry) {
      return new PunctualLockMeters(registry);
    }
  }
}
