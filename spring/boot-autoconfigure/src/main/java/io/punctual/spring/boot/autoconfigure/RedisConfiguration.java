package io.punctual.spring.boot.autoconfigure;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.PunctualBuilder;
import io.punctual.redis.RedisStore;
import io.punctual.redis.RedisStoreBuilder;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Configures the store on Redis or Valkey. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisStore.class, RedisClient.class})
class RedisConfiguration {
  @Bean
  @Order(StoreSources.REDIS_URL)
  static StoreSource punctualRedisUrlSource(
      RedisStores stores, RedisTargetSource punctualRedisUrl, StoreAddress address) {
    return stores.source(
        punctualRedisUrl,
        () -> StoreAddress.source(Objects.requireNonNull(address.findRedis(), "address")));
  }

  @Bean
  @Order(StoreSources.DATA_REDIS)
  // The condition contains the name of the class as a string. With a class literal, reflection on
  // this method would log a warning if the class is absent.
  @ConditionalOnClass(
      name = "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails")
  static StoreSource punctualDataRedisSource(
      RedisStores stores, RedisTargetSource punctualDataRedis) {
    return stores.source(punctualDataRedis, () -> "spring.data.redis");
  }

  @Bean
  static RedisStores punctualRedisStores(
      PunctualProperties properties,
      ObjectProvider<ClientResources> resources,
      ObjectProvider<RedisStoreBuilderCustomizer> customizers) {
    return new RedisStores(
        properties.redis(),
        properties.redis().shareClientResources() ? resources.getIfAvailable() : null,
        customizers.orderedStream().toList());
  }

  /** Opens Redis stores with the properties. */
  static final class RedisStores {
    private final PunctualProperties.Redis properties;
    private final @Nullable ClientResources resources;
    private final List<RedisStoreBuilderCustomizer> customizers;

    RedisStores(
        PunctualProperties.Redis properties,
        @Nullable ClientResources resources,
        List<RedisStoreBuilderCustomizer> customizers) {
      this.properties = properties;
      this.resources = resources;
      this.customizers = customizers;
    }

    StoreSource source(RedisTargetSource targets, Supplier<String> name) {
      return builder -> {
        RedisTarget target = targets.target();
        if (target == null) {
          return null;
        }
        builder.store(describe(target), () -> open(target));
        applyClientOptions(builder, target.url());
        return name.get();
      };
    }

    private static void applyClientOptions(PunctualBuilder builder, @Nullable String url) {
      if (url != null) {
        StoreUrl parsed = StoreUrl.parse(url);
        parsed.time(StoreUrl.BLOCKING_TIMEOUT).ifPresent(builder::blockingTimeout);
        parsed.time(StoreUrl.OPERATION_TIMEOUT).ifPresent(builder::operationTimeout);
      }
    }

    private static String describe(RedisTarget target) {
      String url = target.url();
      if (url == null) {
        return "Redis at " + target.addresses();
      }
      int query = url.indexOf('?');
      String address = query < 0 ? url : url.substring(0, query);
      int secrets = address.lastIndexOf('@');
      return secrets < 0
          ? address
          : address.substring(0, address.indexOf(':') + 1) + "//" + address.substring(secrets + 1);
    }

    private Store open(RedisTarget target) {
      RedisStoreBuilder builder = RedisStore.builder();
      apply(builder);
      address(builder, target);
      SslBundle bundle = target.bundle();
      if (bundle != null) {
        builder.ssl(Bundles.options(bundle));
      }
      customizers.forEach(customizer -> customizer.customize(builder));
      return builder.open();
    }

    private void apply(RedisStoreBuilder builder) {
      builder
          .namespace(properties.namespace())
          .durability(Durability.parse(properties.durability()))
          .commandTimeout(properties.commandTimeout())
          .connectTimeout(properties.connectTimeout())
          .proxy(properties.proxy());
      Duration durabilityTimeout = properties.durabilityTimeout();
      if (durabilityTimeout != null) {
        builder.durabilityTimeout(durabilityTimeout);
      }
      Integer partitions = properties.partitions();
      if (partitions != null) {
        builder.partitions(partitions);
      }
      if (resources != null) {
        builder.resources(resources);
      }
    }

    private static void address(RedisStoreBuilder builder, RedisTarget target) {
      String url = target.url();
      if (url != null) {
        builder.url(url);
      } else if (target.cluster()) {
        builder.cluster(target.addresses());
      } else {
        builder.uri(target.addresses().get(0));
      }
    }
  }
}
