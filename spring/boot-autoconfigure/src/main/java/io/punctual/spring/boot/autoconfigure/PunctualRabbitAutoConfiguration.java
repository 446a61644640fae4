package io.punctual.spring.boot.autoconfigure;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.punctual.Punctual;
import io.punctual.micrometer.PunctualRabbitMeters;
import io.punctual.rabbitmq.RabbitBridge;
import io.punctual.rabbitmq.RabbitIntake;
import io.punctual.spring.ListenerDefaults;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures the intakes and bridges of {@code punctual.rabbitmq.*}, on the connection of {@code
 * spring.rabbitmq.*}.
 */
@AutoConfiguration(
    after = {PunctualAutoConfiguration.class, PunctualMetricsAutoConfiguration.class},
    afterName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnClass({
  RabbitIntake.class,
  CachingConnectionFactory.class,
  RabbitConnectionDetails.class
})
@ConditionalOnBean({Punctual.class, CachingConnectionFactory.class, RabbitConnectionDetails.class})
@ConditionalOnBooleanProperty(name = "punctual.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PunctualRabbitProperties.class)
public final class PunctualRabbitAutoConfiguration {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.properties");

  @Bean
  @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
  static RabbitLinks punctualRabbitLinks(
      Punctual punctual,
      PunctualRabbitProperties properties,
      ListenerDefaults defaults,
      ObjectProvider<CachingConnectionFactory> factories,
      RabbitConnectionDetails details,
      ObjectProvider<RabbitLinks.Meters> meters,
      ApplicationContext context) {
    return new RabbitLinks(
        punctual,
        own(properties, context),
        defaults,
        () -> connection(factories.getObject(), details),
        meters.getIfAvailable(() -> RabbitLinks.Meters.NONE),
        ofParent(context, RabbitLinks.class));
  }

  private static <T> @Nullable T ofParent(ApplicationContext context, Class<T> type) {
    ApplicationContext parent = context.getParent();
    return parent == null ? null : parent.getBeanProvider(type).getIfAvailable();
  }

  /**
   * Returns the links that only this context has. A child context usually has the properties of its
   * parent too, and would start each of the parent's links a second time.
   */
  private static PunctualRabbitProperties own(
      PunctualRabbitProperties properties, ApplicationContext context) {
    PunctualRabbitProperties theirs = ofParent(context, PunctualRabbitProperties.class);
    return theirs == null
        ? properties
        : properties.without(
            theirs,
            name ->
                log.warn(
                    "The properties punctual.rabbitmq.{}.* of the context '{}' have no effect,"
                        + " because its parent has another link of this name",
                    name,
                    context.getDisplayName()));
  }

  /**
   * Returns the factory with all nodes of its cluster, of which itself has at most the first. The
   * nodes of the properties are not those of an application's own factory with another host.
   */
  private static RabbitLinks.Connection connection(
      CachingConnectionFactory caching, RabbitConnectionDetails details) {
    ConnectionFactory factory = caching.getRabbitConnectionFactory();
    List<Address> nodes =
        details.getAddresses().stream()
            .map(address -> new Address(address.host(), address.port()))
            .toList();
    Address its = new Address(factory.getHost(), factory.getPort());
    boolean isOther = !nodes.contains(its) && !its.getHost().equals(defaultHost());
    return new RabbitLinks.Connection(factory, isOther ? List.of() : nodes);
  }

  /** Returns the host of a {@link CachingConnectionFactory} that was given none. */
  private static String defaultHost() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** The meters of intakes and bridges. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({PunctualRabbitMeters.class, MeterRegistry.class})
  @ConditionalOnBean(MeterRegistry.class)
  @ConditionalOnBooleanProperty(name = "punctual.metrics.enabled", matchIfMissing = true)
  static class Metered {
    @Bean
    RabbitLinks.Meters punctualRabbitMeters(MeterRegistry registry) {
      return new RabbitLinks.Meters() {
        @Override
        public Runnable of(RabbitIntake intake) {
          return PunctualRabbitMeters.of(intake, registry)::close;
        }

        @Override
        public Runnable of(RabbitBridge bridge) {
          return PunctualRabbitMeters.of(bridge, registry)::close;
        }
      };
    }
  }

  /** The health: DOWN if an intake or a bridge does not work. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  @ConditionalOnEnabledHealthIndicator("punctual-rabbitmq")
  static class Healthy {
    @Bean
    @ConditionalOnMissingBean(name = "punctualRabbitmqHealthIndicator")
    HealthIndicator punctualRabbitmqHealthIndicator(RabbitLinks links) {
      return () -> {
        var available = links.available();
        boolean up = available.values().stream().allMatch(each -> each);
        Health.Builder health = up ? Health.up() : Health.down();
        available.forEach((name, each) -> health.withDetail(name, each ? "UP" : "DOWN"));
        return health.build();
      };
    }
  }
}
