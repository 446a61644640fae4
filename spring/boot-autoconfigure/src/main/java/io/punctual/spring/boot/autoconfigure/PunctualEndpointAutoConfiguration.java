package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import io.punctual.spring.PunctualListenerRegistry;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The endpoints of the Actuator. */
@AutoConfiguration(after = PunctualAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@EnableConfigurationProperties(PunctualEndpointProperties.class)
public final class PunctualEndpointAutoConfiguration {
  @Bean
  @ConditionalOnBean(Punctual.class)
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint(PunctualEndpoint.class)
  static PunctualEndpoint punctualEndpoint(
      Punctual punctual, PunctualEndpointProperties properties) {
    return new PunctualEndpoint(punctual, properties);
  }

  @Bean
  @ConditionalOnBean(Punctual.class)
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint(PunctualDeadLettersEndpoint.class)
  static PunctualDeadLettersEndpoint punctualDeadLettersEndpoint(
      Punctual punctual, PunctualEndpointProperties properties) {
    return new PunctualDeadLettersEndpoint(punctual, properties);
  }

  @Bean
  @ConditionalOnBean(PunctualListenerRegistry.class)
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint(PunctualListenersEndpoint.class)
  static PunctualListenersEndpoint punctualListenersEndpoint(PunctualListenerRegistry registry) {
    return new PunctualListenersEndpoint(registry);
  }
}
