package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualListener;
import java.io.InputStream;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the log names the properties that have no effect in an application, and says why. */
@ExtendWith(OutputCaptureExtension.class)
class UnusedPropertiesTest {
  private static final AutoConfigurations ALL =
      AutoConfigurations.of(
          PunctualAutoConfiguration.class,
          PunctualJdbcAutoConfiguration.class,
          PunctualHealthAutoConfiguration.class,
          PunctualHttpAutoConfiguration.class,
          PunctualMetricsAutoConfiguration.class,
          PunctualObservationAutoConfiguration.class,
          PunctualRabbitAutoConfiguration.class);

  /** An application with a store in memory, and nothing else. */
  private static final ApplicationContextRunner MEMORY =
      new ApplicationContextRunner()
          .withConfiguration(ALL)
          .withPropertyValues("punctual.url=memory:");

  /** A property, and an application in which it has no effect. */
  private record Case(String property, UnaryOperator<ApplicationContextRunner> application) {
    String name() {
      return property.substring(0, property.indexOf('='));
    }

    @Override
    public String toString() {
      return property;
    }
  }

  private static Case in(String property, UnaryOperator<ApplicationContextRunner> application) {
    return new Case(property, application);
  }

  private static Case memory(String property) {
    return in(property, application -> application);
  }

  private static UnaryOperator<ApplicationContextRunner> without(String library) {
    return application -> application.withClassLoader(new FilteredClassLoader(library));
  }

  private static Stream<Case> cases() {
    UnaryOperator<ApplicationContextRunner> ownClient =
        application -> application.withBean(Punctual.class, () -> Punctual.open("memory:"));
    UnaryOperator<ApplicationContextRunner> ownStore =
        application -> application.withBean(Store.class, () -> MemoryStore.builder().build());
    UnaryOperator<ApplicationContextRunner> ownDefaults =
        application ->
            application.withBean(ListenerDefaults.class, () -> queue -> WorkerOptions.DEFAULT);
    UnaryOperator<ApplicationContextRunner> bundles =
        application ->
            application.withBean(
                SslBundles.class,
                () -> new DefaultSslBundleRegistry("own", SslBundle.of(SslStoreBundle.NONE)));
    return Stream.of(
        in("punctual.operation-timeout=1s", ownClient),
        in("punctual.blocking-timeout=1s", ownClient),
        in("punctual.operation-limit=10", ownClient),
        in("punctual.payload-limit=1KB", ownClient),
        in("punctual.startup.on-unavailable=background", ownStore),
        in("punctual.url=memory:", ownStore),
        memory("punctual.jdbc.create-tables=true"),
        memory("punctual.redis.partitions=2"),
        memory("punctual.redis.proxy=true"),
        in("punctual.redis.ssl.bundle=own", bundles),
        in("punctual.redis.namespace=shop", without("io.punctual.lock")),
        in("punctual.locks.lease=10s", without("io.punctual.lock")),
        in("punctual.listener.concurrency=2", ownDefaults),
        in("punctual.queues.orders.concurrency=2", ownDefaults),
        in("punctual.transaction.timeout=1s", without("org.springframework.transaction")),
        in(
            "punctual.health.timeout=2s",
            application ->
                application.withPropertyValues("management.health.defaults.enabled=false")),
        memory("punctual.http.read-only=true"),
        memory("punctual.http.path=/punctual"),
        memory("punctual.metrics.enabled=true"),
        memory("punctual.metrics.refresh=1s"),
        memory("punctual.observation.propagation=link"),
        memory("punctual.rabbitmq.bridges.orders.exchange=shop"));
  }

  private static String warning(String property) {
    return "The properties [" + property + "] have no effect, because ";
  }

  /** As with a placeholder in the URL that is empty where the application has its own store. */
  @Test
  void textThatIsNoUrl_ofAnApplicationWithItsOwnStore_isNamedToo(CapturedOutput output) {
    MEMORY
        .withBean(Store.class, () -> MemoryStore.builder().build())
        .withPropertyValues("punctual.url=", "punctual.redis.partitions=2")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(output)
                  .contains(warning("punctual.url"))
                  .contains("[punctual.redis.partitions] have no effect");
            });
  }

  @ParameterizedTest
  @MethodSource("cases")
  void propertyWithoutEffect_isNamedWithTheReason(Case one, CapturedOutput output) {
    one.application
        .apply(MEMORY)
        .withPropertyValues(one.property)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(output).contains(warning(one.name()) + group(one.name()).reason());
            });
  }

  @ParameterizedTest
  @CsvSource({
    "memory:, punctual.jdbc.create-tables=true, INFO",
    "memory:, punctual.redis.partitions=2, INFO",
    "jdbc:h2:mem:levels, punctual.redis.proxy=true, INFO",
    "jdbc:h2:mem:levels, punctual.jdbc.create-tables=true, WARN",
    "memory:, punctual.http.path=/punctual, WARN"
  })
  void propertyOfAStoreThatIsNotChosen_isNoWarning(
      String url, String property, String level, CapturedOutput output) {
    MEMORY
        .withPropertyValues(
            "punctual.url=" + url, property, "punctual.startup.on-unavailable=background")
        .run(
            context ->
                assertThat(output.toString().lines())
                    .filteredOn(line -> line.contains("have no effect"))
                    .singleElement()
                    .asString()
                    .contains(level));
  }

  private static UnusedProperties.Group group(String name) {
    ConfigurationPropertyName its = ConfigurationPropertyName.of(name);
    return UnusedProperties.GROUPS.stream()
        .filter(group -> group.has(its))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " belongs to no group"));
  }

  @Test
  void everyProperty_belongsToAGroup_andEveryGroupIsTested() throws Exception {
    try (InputStream in =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      for (JsonNode property : JsonMapper.shared().readTree(in).get("properties")) {
        String name = property.get("name").asString();
        if (name.startsWith("punctual.") && !name.equals("punctual.enabled")) {
          assertThat(group(name)).as(name).isNotNull();
        }
      }
    }
    assertThat(cases().map(one -> group(one.name())))
        .containsExactlyElementsOf(UnusedProperties.GROUPS);
  }

  @ParameterizedTest
  @CsvSource({
    "io.punctual.http, punctual.http.path",
    "io.punctual.micrometer, punctual.metrics.refresh",
    "io.punctual.micrometer, punctual.observation.propagation",
    "io.punctual.rabbitmq, punctual.rabbitmq.bridges.orders.exchange"
  })
  void propertyOfAnAbsentLibrary_isNamedWithIt(
      String library, String property, CapturedOutput output) {
    MEMORY
        .withClassLoader(new FilteredClassLoader(library))
        .withPropertyValues(property + "=1")
        .run(
            context ->
                assertThat(output)
                    .contains(warning(property))
                    .contains(library.replace("io.punctual.", "punctual-"))
                    .doesNotContain("no such property; did"));
  }

  @Test
  void httpPathInAReactiveApplication_isNamed(CapturedOutput output) {
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues("punctual.url=memory:", "punctual.http.path=/punctual")
        .run(context -> assertThat(output).contains(warning("punctual.http.path"), "WebFlux"));
  }

  static class Closing {
    @PunctualListener("orders")
    void close(String orderId) {}
  }

  @Test
  void propertiesOfPartsInUse_areNotNamed(CapturedOutput output) {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
        .withBean(DataSource.class, UnusedPropertiesTest::database)
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withBean(ObservationRegistry.class, ObservationRegistry::create)
        .withBean(Closing.class)
        .withPropertyValues(
            "punctual.operation-timeout=1s",
            "punctual.startup.on-unavailable=background",
            "punctual.jdbc.create-tables=true",
            "punctual.redis.namespace=shop",
            "punctual.locks.lease=10s",
            "punctual.listener.concurrency=2",
            "punctual.queues.orders.concurrency=2",
            "punctual.transaction.timeout=1s",
            "punctual.health.timeout=2s",
            "punctual.http.read-only=true",
            "punctual.http.path=/punctual",
            "punctual.metrics.enabled=true",
            "punctual.metrics.queues=a,b",
            "punctual.metrics.refresh=1s",
            "punctual.observation.propagation=link",
            "spring.rabbitmq.addresses=127.0.0.1:1",
            "punctual.rabbitmq.bridges.orders.exchange=shop")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertNothingIsNamed(output);
            });
  }

  private static DataSource database() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  @Test
  void propertiesOfRedis_withARedisUrl_areNotNamed(CapturedOutput output) {
    new ApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues(
            "punctual.url=redis://localhost:1",
            "punctual.startup.on-unavailable=background",
            "punctual.redis.partitions=2",
            "punctual.redis.proxy=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertNothingIsNamed(output);
            });
  }

  @Test
  void propertiesOfAPartThatIsSwitchedOff_areNotNamed(CapturedOutput output) {
    MEMORY
        .withPropertyValues(
            "punctual.metrics.enabled=false",
            "punctual.metrics.refresh=1s",
            "punctual.observation.enabled=false",
            "punctual.observation.propagation=link")
        .run(context -> assertNothingIsNamed(output));
  }

  private static void assertNothingIsNamed(CapturedOutput output) {
    // The build gives its tests system properties that begin with punctual.
    assertThat(output.toString().lines())
        .filteredOn(line -> !line.contains("systemProperties"))
        .noneMatch(line -> line.contains("no effect"));
  }
}
