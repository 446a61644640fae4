package io.punctual.spring.boot.autoconfigure;

import io.punctual.spi.Store;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Tells which properties have no effect in an application: those of another kind of store, of a
 * part that is not configured, and of what the application replaces by a bean of its own.
 */
final class UnusedProperties {
  private static final String PACKAGE = ClassUtils.getPackageName(UnusedProperties.class) + ".";
  private static final String CLIENT = "PunctualAutoConfiguration#punctual";
  private static final String LOCKS = "LocksConfiguration#punctualLocks";
  private static final String OWN_CLIENT = "the application has a bean of Punctual";
  private static final String OWN_STORE = "the application has a bean of Punctual or Store";
  private static final String OWN_DEFAULTS = "the application has a bean of ListenerDefaults";
  private static final String NO_REDIS =
      "the store is not on Redis or Valkey, or is a bean of the application";

  /** A name belongs to the first group whose prefix it has. */
  static final List<Group> GROUPS =
      List.of(
          new Group("punctual.operation-timeout", OWN_CLIENT, matched(CLIENT)),
          new Group("punctual.blocking-timeout", OWN_CLIENT, matched(CLIENT)),
          new Group("punctual.operation-limit", OWN_CLIENT, matched(CLIENT)),
          new Group("punctual.payload-limit", OWN_CLIENT, matched(CLIENT)),
          new Group("punctual.startup", OWN_STORE, UnusedProperties::opensStore),
          new Group(
              "punctual.url",
              "the application has a bean of Punctual, Store or PunctualConnectionDetails",
              UnusedProperties::usesUrl),
          new Group(
              "punctual.jdbc",
              "they are for the SQL store on the application's DataSource. It needs punctual-jdbc, a"
                  + " DataSource, and no punctual.url; a jdbc: URL has options of its own",
              app -> app.opensStore() && app.hasMatched("PunctualJdbcAutoConfiguration")),
          new Group("punctual.redis.partitions", NO_REDIS, UnusedProperties::opensRedis),
          new Group("punctual.redis.proxy", NO_REDIS, UnusedProperties::opensRedis),
          new Group(
              "punctual.redis.ssl",
              "the bundle is for a rediss: URL in punctual.url. That of spring.data.redis.* is"
                  + " spring.data.redis.ssl.bundle",
              app -> app.hasRedisUrl() || app.hasContainer()),
          new Group(
              "punctual.redis",
              NO_REDIS + ", and there are no locks of punctual-locks",
              app -> app.opensRedis() || app.hasMatched(LOCKS)),
          new Group(
              "punctual.locks",
              "they need punctual-locks, Lettuce, and no bean of RedisLocks",
              matched(LOCKS)),
          new Group(
              "punctual.listener",
              OWN_DEFAULTS,
              matched("PunctualAutoConfiguration#punctualListenerDefaults")),
          new Group(
              "punctual.queues",
              OWN_DEFAULTS,
              matched("PunctualAutoConfiguration#punctualListenerDefaults")),
          new Group(
              "punctual.transaction",
              "they need spring-tx",
              app -> app.isPresent("org.springframework.transaction.TransactionManager")),
          new Group(
              "punctual.health",
              "they need spring-boot-starter-actuator, and its health indicator punctual",
              matched("PunctualHealthAutoConfiguration#punctualHealthIndicator")),
          new Group(
              "punctual.http.read-only",
              "they need punctual.http.path, and no bean of HttpApi",
              matched("PunctualHttpAutoConfiguration#punctualHttpApi")),
          new Group(
              "punctual.http",
              "they need punctual-http, a servlet web application, which WebFlux is not, and"
                  + " punctual.http.path",
              matched("PunctualHttpAutoConfiguration")),
          new Group(
              "punctual.metrics.enabled",
              "they need punctual-micrometer, and a MeterRegistry as of"
                  + " spring-boot-starter-actuator",
              matched("PunctualMetricsAutoConfiguration")),
          new Group(
              "punctual.metrics",
              "they need punctual-micrometer, a MeterRegistry as of spring-boot-starter-actuator,"
                  + " and no bean of PunctualMeters",
              matched("PunctualMetricsAutoConfiguration$ClientMeters")),
          new Group(
              "punctual.observation",
              "they need punctual-micrometer, an ObservationRegistry as of"
                  + " spring-boot-starter-actuator, and no bean of PunctualObservations or"
                  + " PunctualTimers",
              matched("PunctualObservationAutoConfiguration#punctualObservations")),
          new Group(
              "punctual.rabbitmq",
              "they need punctual-rabbitmq, spring-boot-starter-amqp, and its"
                  + " CachingConnectionFactory",
              matched("PunctualRabbitAutoConfiguration")));

  private final ConfigurableListableBeanFactory beans;
  private final Environment environment;
  private final StoreAddress address;

  UnusedProperties(
      ConfigurableListableBeanFactory beans, Environment environment, StoreAddress address) {
    this.beans = beans;
    this.environment = environment;
    this.address = address;
  }

  /**
   * Properties that have an effect under the same condition.
   *
   * @param reason why they have none otherwise, and what they need
   */
  record Group(String prefix, String reason, Predicate<UnusedProperties> hasEffect) {
    boolean has(ConfigurationPropertyName name) {
      ConfigurationPropertyName own = ConfigurationPropertyName.of(prefix);
      return own.equals(name) || own.isAncestorOf(name);
    }
  }

  /** Returns why a property has no effect; empty if it has, or does not exist. */
  Optional<String> reason(ConfigurationPropertyName name) {
    return GROUPS.stream()
        .filter(group -> group.has(name))
        .findFirst()
        .filter(group -> !isSwitchedOff(name) && !group.hasEffect.test(this))
        .map(Group::reason);
  }

  /**
   * Returns whether a URL chooses another kind of store than the one that the property is for: then
   * the configuration is one of several, as that of profiles with different stores.
   */
  boolean isOfAnotherStore(ConfigurationPropertyName name) {
    String part = name.getElement(1, Form.UNIFORM);
    PunctualConnectionDetails chosen = address.find();
    return (part.equals("jdbc") || part.equals("redis"))
        && chosen != null
        && !StoreAddress.isOf(part, chosen.getUrl());
  }

  /** Returns whether the application switches the part off by {@code punctual.PART.enabled}. */
  private boolean isSwitchedOff(ConfigurationPropertyName name) {
    return !environment.getProperty(name.chop(2) + ".enabled", Boolean.class, true);
  }

  private static Predicate<UnusedProperties> matched(String source) {
    return app -> app.hasMatched(source);
  }

  /** Returns whether Spring Boot uses a configuration, or a method with a bean, of this package. */
  private boolean hasMatched(String source) {
    ConditionAndOutcomes outcomes =
        ConditionEvaluationReport.get(beans)
            .getConditionAndOutcomesBySource()
            .get(PACKAGE + source);
    return outcomes != null && outcomes.isFullMatch();
  }

  private boolean opensStore() {
    return hasMatched(CLIENT)
        && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Store.class, true, false)
                .length
            == 0;
  }

  private boolean opensRedis() {
    return opensStore()
        && !hasMatched("PunctualJdbcAutoConfiguration")
        && (address.find() == null || address.findRedis() != null);
  }

  private boolean usesUrl() {
    return opensStore() ? hasUrl() || hasContainer() : hasMatched(LOCKS) && hasRedisUrl();
  }

  private boolean hasUrl() {
    return address.find() instanceof StoreAddress.OfProperties;
  }

  private boolean hasRedisUrl() {
    return address.findRedis() instanceof StoreAddress.OfProperties;
  }

  /** Returns whether a container replaces a Redis URL, which is for an application without one. */
  private boolean hasContainer() {
    return address.find() instanceof ServiceConnectionDetails;
  }

  private boolean isPresent(String type) {
    return ClassUtils.isPresent(type, beans.getBeanClassLoader());
  }
}
