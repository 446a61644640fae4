package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the store. */
@AutoConfiguration(after = PunctualAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Punctual.class)
@ConditionalOnEnabledHealthIndicator("punctual")
@EnableConfigurationProperties(PunctualProperties.class)
public final class PunctualHealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "punctualHealthIndicator")
  static HealthIndicator punctualHealthIndicator(
      Punctual punctual, PunctualProperties properties, ObjectProvider<QueueWatch> watch) {
    return new PunctualHealthIndicator(
        punctual,
        properties.health().timeout(),
        () -> watch.stream().findAny().map(QueueWatch::unworkedQueues).orElse(Set.of()));
  }
}
