package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualCodecs;
import io.punctual.spring.PunctualListenerBeanPostProcessor;
import io.punctual.spring.PunctualListenerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * The beans for the listeners of a context. A parent context has its own beans for its own
 * listeners.
 */
@Configuration(proxyBeanMethods = false)
class ListenerConfiguration {
  @Bean
  @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static PunctualListenerBeanPostProcessor punctualListenerBeanPostProcessor() {
    return new PunctualListenerBeanPostProcessor();
  }

  @Bean
  @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
  PunctualListenerRegistry punctualListenerRegistry(
      Punctual punctual, PunctualCodecs codecs, ListenerDefaults defaults) {
    return new PunctualListenerRegistry(punctual, codecs, defaults);
  }

  /**
   * Lets the context create beans with listeners at its start, even if all other beans are lazy.
   */
  @Bean
  static LazyInitializationExcludeFilter punctualLazyInitializationExcludeFilter() {
    return (name, definition, type) -> PunctualListenerBeanPostProcessor.hasListeners(type);
  }

  @Bean
  @ConditionalOnMissingBean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static QueueWatch punctualQueueWatch(ObjectProvider<Punctual> client) {
    return new QueueWatch(client);
  }

  @Bean
  @ConditionalOnMissingBean
  static PropertyCheck punctualPropertyCheck(
      ConfigurableListableBeanFactory beans,
      Environment environment,
      PunctualProperties properties,
      StoreAddress address,
      ObjectProvider<PunctualListenerRegistry> registries,
      QueueWatch watch) {
    return new PropertyCheck(beans, environment, properties, address, registries, watch);
  }
}
