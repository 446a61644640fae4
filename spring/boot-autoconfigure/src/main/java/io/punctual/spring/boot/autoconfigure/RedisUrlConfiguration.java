package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.RedisClient;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** The Redis deployment that the URL of the store names, for the store and the locks. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisClient.class)
class RedisUrlConfiguration {
  @Bean
  @Order(StoreSources.REDIS_URL)
  static RedisTargetSource punctualRedisUrl(StoreAddress address) {
    return () -> {
      PunctualConnectionDetails found = address.findRedis();
      return found == null ? null : RedisTarget.of(found.getUrl(), found.getSslBundle());
    };
  }
}
