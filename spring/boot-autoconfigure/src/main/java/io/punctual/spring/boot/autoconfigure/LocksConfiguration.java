package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.lock.LockListener;
import io.punctual.lock.RedisLocks;
import io.punctual.lock.RedisLocksBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Locks on the Redis deployment that the URL of the store names. Without a Redis URL, Spring Data
 * names the deployment. The locks connect when a bean first needs them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisLocks.class, RedisClient.class})
class LocksConfiguration {
  @Bean(destroyMethod = "close")
  @Lazy
  @ConditionalOnMissingBean
  static RedisLocks punctualLocks(
      PunctualProperties properties,
      ObjectProvider<RedisTargetSource> sources,
      ObjectProvider<ClientResources> resources,
      ObjectProvider<LockListener> listeners) {
    RedisTarget target =
        sources
            .orderedStream()
            .map(RedisTargetSource::target)
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Locks need Redis or Valkey, but neither punctual.url nor Spring Data names"
                            + " a server; set punctual.url=redis://..., or define a bean of"
                            + " RedisLocks"));
    RedisLocksBuilder builder = WrongSettingException.check(() -> settings(properties, target));
    listeners.orderedStream().forEach(builder::listener);
    @Nullable ClientResources shared =
        properties.redis().shareClientResources() ? resources.getIfAvailable() : null;
    if (shared != null) {
      builder.resources(shared);
    }
    return builder.open();
  }

  private static RedisLocksBuilder settings(PunctualProperties properties, RedisTarget target) {
    RedisLocksBuilder builder = RedisLocks.builder().lease(properties.locks().lease());
    apply(builder, properties.redis());
    address(builder, target);
    return builder;
  }

  private static void apply(RedisLocksBuilder builder, PunctualProperties.Redis properties) {
    builder
        .namespace(properties.namespace())
        .durability(Durability.parse(properties.durability()))
        .commandTimeout(properties.commandTimeout())
        .connectTimeout(properties.connectTimeout());
    if (properties.durabilityTimeout() != null) {
      builder.durabilityTimeout(properties.durabilityTimeout());
    }
  }

  private static void address(RedisLocksBuilder builder, RedisTarget target) {
    String url = target.url();
    if (url != null) {
      builder.url(url);
    } else if (target.cluster()) {
      builder.cluster(target.addresses());
    } else {
      builder.uri(target.addresses().get(0));
    }
    SslBundle bundle = target.bundle();
    if (bundle != null) {
      builder.ssl(Bundles.options(bundle));
    }
  }
}
