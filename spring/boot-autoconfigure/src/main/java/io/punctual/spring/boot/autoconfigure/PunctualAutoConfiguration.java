package io.punctual.spring.boot.autoconfigure;

import io.punctual.Interceptor;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.Startup;
import io.punctual.event.EventObserver;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import io.punctual.spring.JsonCodecs;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualCodecs;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.TransactionMode;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.Assert;
import tools.jackson.databind.json.JsonMapper;

/** Configures the client, its store, and the beans that access its queues. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
      "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration"
    })
@ConditionalOnClass(Punctual.class)
@ConditionalOnBooleanProperty(name = "punctual.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PunctualProperties.class)
@Import({
  PunctualAutoConfiguration.Json.class,
  RedisUrlConfiguration.class,
  RedisConfiguration.class,
  DataRedisConfiguration.class,
  LocksConfiguration.class,
  ListenerConfiguration.class
})
public final class PunctualAutoConfiguration {
  private static final Logger log = LoggerFactory.getLogger(PunctualAutoConfiguration.class);

  @Bean
  @ConditionalOnMissingBean(PunctualConnectionDetails.class)
  @ConditionalOnProperty("punctual.url")
  static StoreAddress.OfProperties punctualConnectionDetails(
      PunctualProperties properties, ObjectProvider<SslBundles> bundles) {
    String url = properties.url();
    Assert.state(url != null, "The condition requires a URL");
    String bundle = properties.redis().ssl().bundle();
    return new StoreAddress.OfProperties(
        url, bundle == null ? null : bundles.getObject().getBundle(bundle));
  }

  @Bean
  static StoreAddress punctualStoreAddress(
      PunctualProperties properties, ObjectProvider<PunctualConnectionDetails> details) {
    return new StoreAddress(properties.url(), details);
  }

  /**
   * The URL of any store. The source for Redis URLs precedes this source, because the source for
   * Redis URLs also applies the properties {@code punctual.redis.*}.
   */
  @Bean
  @Order(StoreSources.URL)
  static StoreSource punctualUrlSource(StoreAddress address) {
    return builder -> {
      PunctualConnectionDetails found = address.find();
      if (found == null) {
        return null;
      }
      builder.url(found.getUrl());
      return StoreAddress.source(found);
    };
  }

  @Bean
  @ConditionalOnMissingBean
  static ListenerDefaults punctualListenerDefaults(
      PunctualProperties properties,
      Environment environment,
      ObjectProvider<WorkerOptionsCustomizer> customizers) {
    return new PropertiesListenerDefaults(
        properties, Threading.VIRTUAL.isActive(environment), customizers.orderedStream().toList());
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  static Punctual punctual(
      PunctualProperties properties,
      ListenerDefaults defaults,
      ObjectProvider<Store> store,
      ObjectProvider<StoreSource> sources,
      ObjectProvider<PunctualTransactions> transactions,
      ObjectProvider<EventObserver> observers,
      ObjectProvider<Interceptor> interceptors,
      ObjectProvider<PunctualBuilderCustomizer> customizers) {
    PunctualBuilder builder = WrongSettingException.check(() -> settings(properties, defaults));
    observers.orderedStream().forEach(builder::observer);
    interceptors.orderedStream().forEach(builder::interceptor);
    Store bean = store.getIfAvailable();
    String source =
        bean == null
            ? WrongSettingException.check(() -> setStore(builder, sources, properties.startup()))
            : "a bean of Store";
    if (bean != null) {
      builder.store(bean);
      warnOfSeparateTransactions(bean, transactions);
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    Punctual client = WrongSettingException.check(builder::build);
    log.info("The store of Punctual is {}, from {}", client.store(), source);
    return client;
  }

  private static PunctualBuilder settings(
      PunctualProperties properties, ListenerDefaults defaults) {
    PunctualBuilder builder =
        Punctual.builder()
            .operationTimeout(properties.operationTimeout())
            .blockingTimeout(properties.blockingTimeout())
            .operationLimit(properties.operationLimit())
            .payloadLimit(
                (int)
                    Math.max(-1, Math.min(properties.payloadLimit().toBytes(), Integer.MAX_VALUE)));
    properties
        .queues()
        .keySet()
        .forEach(name -> builder.queueDefaults(name, defaults.options(name)));
    return builder;
  }

  private static String setStore(
      PunctualBuilder builder,
      ObjectProvider<StoreSource> sources,
      PunctualProperties.Startup startup) {
    builder.startup(startup.onUnavailable());
    Duration patience = startup.timeout();
    if (patience != null || startup.onUnavailable() == Startup.WAIT) {
      builder.startupTimeout(patience == null ? Duration.ofSeconds(30) : patience);
    }
    return sources
        .orderedStream()
        .map(source -> source.applyTo(builder))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(NoPunctualStoreException::new);
  }

  private static void warnOfSeparateTransactions(
      Store store, ObjectProvider<PunctualTransactions> transactions) {
    if (store.capabilities().contains(Capability.TRANSACTIONS)
        && transactions.stream().findAny().isEmpty()) {
      log.warn(
          "The application has its own bean of the store {}, but no bean of PunctualTransactions,"
              + " so messages are no part of the application's transactions. Define a bean of"
              + " PunctualTransactions with the DataSource of the store; or leave the bean of the"
              + " store out, and change the store by a bean of JdbcStoreBuilderCustomizer",
          store.describe());
    }
  }

  @Bean
  @ConditionalOnMissingBean
  static PunctualCodecs punctualCodecs() {
    return PunctualCodecs.standard();
  }

  @Bean
  @ConditionalOnMissingBean
  static PunctualQueues punctualQueues(
      Punctual punctual,
      PunctualCodecs codecs,
      PunctualProperties properties,
      ObjectProvider<PunctualTransactions> transactions) {
    PunctualProperties.Transaction transaction = properties.transaction();
    return new PunctualQueues(
        punctual,
        codecs,
        transaction.modeOr(TransactionMode.BEFORE_COMMIT),
        transaction.timeout(),
        transactions.getIfAvailable());
  }

  @Bean
  @ConditionalOnMissingBean
  static PunctualTemplate punctualTemplate(PunctualQueues queues, PunctualProperties properties) {
    return new PunctualTemplate(
        queues, properties.transaction().modeOr(TransactionMode.AFTER_COMMIT));
  }

  /**
   * Codecs for JSON, with the only {@code JsonMapper} of the application, or with Jackson's
   * defaults.
   */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = {"io.punctual.jackson.JacksonCodec", "tools.jackson.databind.json.JsonMapper"})
  static class Json {
    @Bean
    @ConditionalOnMissingBean(PunctualCodecs.class)
    JsonCodecs punctualJsonCodecs(ObjectProvider<JsonMapper> mapper) {
      JsonMapper unique = mapper.getIfUnique();
      return new JsonCodecs(unique == null ? JsonMapper.shared() : unique);
    }
  }
}
