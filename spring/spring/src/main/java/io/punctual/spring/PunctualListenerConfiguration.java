package io.punctual.spring;

import io.punctual.Punctual;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The beans that {@link EnablePunctual} defines. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class PunctualListenerConfiguration {
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static PunctualListenerBeanPostProcessor punctualListenerBeanPostProcessor() {
    return new PunctualListenerBeanPostProcessor();
  }

  @Bean
  PunctualListenerRegistry punctualListenerRegistry(
      Punctual punctual,
      ObjectProvider<PunctualCodecs> codecs,
      ObjectProvider<ListenerDefaults> defaults) {
    return new PunctualListenerRegistry(
        punctual,
        codecs.getIfAvailable(PunctualCodecs::standard),
        defaults.getIfAvailable(() -> ListenerDefaults.CORE));
  }
}
