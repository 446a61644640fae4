package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.event.EventObserver;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.spring.JsonCodecs;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.RegisteredListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests the conditions and settings of the auto-configuration, in contexts without a web server.
 */
class PunctualAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class,
                  JacksonAutoConfiguration.class,
                  SslAutoConfiguration.class));
  private final ApplicationContextRunner memory = runner.withPropertyValues("punctual.url=memory:");

  record Order(String orderId) {}

  static class OrderListener {
    final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

    @PunctualListener(value = "orders", id = "orders")
    void handle(Order order) {
      received.add(order);
    }

    Object next() throws InterruptedException {
      Object value = received.poll(60, TimeUnit.SECONDS);
      assertThat(value).isNotNull();
      return value;
    }
  }

  @Test
  void url_memory_deliversToAListener() {
    memory
        .withBean(OrderListener.class)
        .run(
            context -> {
              context
                  .getBean(PunctualTemplate.class)
                  .schedule("orders", new Order("1"), Duration.ZERO);
              assertThat(context.getBean(OrderListener.class).next()).isEqualTo(new Order("1"));
            });
  }

  @Test
  void noStore_failsAndNamesTheChoices() {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          Throwable failure = context.getStartupFailure();
          assertThat(failure).rootCause().isInstanceOf(NoPunctualStoreException.class);
          assertThat(new NoPunctualStoreFailureAnalyzer().analyze(failure).getAction())
              .contains("punctual.url=redis://localhost:6379", "journal:", "memory:");
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "punctual.url=nosql:x | No store for 'nosql:' is on the class path",
        "punctual.url=orders | A store's URL begins with a scheme",
        "punctual.operation-timeout=0s | operationTimeout must be",
        "punctual.operation-limit=0 | operationLimit must be positive",
        "punctual.payload-limit=3GB | payloadLimit must be between 0 and",
        "punctual.payload-limit=-3GB | payloadLimit must be between 0 and",
        "punctual.queues.orders.concurrency=0 | concurrency must be between 1 and",
        "punctual.listener.concurrency=0 | concurrency must be between 1 and"
      })
  void wrongSetting_isExplainedWithoutAStackTrace(String property, String reason) {
    memory
        .withBean(OrderListener.class)
        .withPropertyValues(property)
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              assertThat(failure).rootCause().isInstanceOf(IllegalArgumentException.class);
              FailureAnalysis analysis = new WrongSettingFailureAnalyzer().analyze(failure);
              assertThat(analysis.getDescription())
                  .startsWith("A setting of Punctual is wrong: ")
                  .contains(reason);
              assertThat(analysis.getAction()).contains("punctual-journal for journal:");
            });
  }

  @Test
  void enabledFalse_hasNoBeans() {
    memory
        .withPropertyValues("punctual.enabled=false")
        .withBean(OrderListener.class)
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(Punctual.class)
                    .doesNotHaveBean(PunctualListenerRegistry.class)
                    .doesNotHaveBean(PunctualTemplate.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.punctual.redis",
        "io.lettuce",
        "io.punctual.jackson",
        "tools.jackson",
        "org.springframework.boot.data.redis",
        "org.springframework.data.redis",
        "io.punctual.lock",
        "org.springframework.transaction",
        "org.springframework.jdbc",
        "io.punctual.jdbc",
        "org.springframework.boot.actuate",
        "org.springframework.boot.health",
        "org.springframework.boot.testcontainers",
        "org.springframework.boot.docker",
        "org.reactivestreams",
        "io.micrometer",
        "io.micrometer.core"
      })
  void optionalLibrary_isOptional(String library) {
    memory
        .withClassLoader(new FilteredClassLoader(library))
        .withBean(TextListener.class)
        .run(
            context -> {
              context.getBean(PunctualTemplate.class).schedule("text", "hi", Duration.ZERO);
              assertThat(context.getBean(TextListener.class).received.poll(60, TimeUnit.SECONDS))
                  .isEqualTo("hi");
            });
  }

  static class TextListener {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @PunctualListener("text")
    void handle(String text) {
      received.add(text);
    }
  }

  @Test
  void storeBean_comesBeforeTheUrl() {
    Store store = MemoryStore.builder().build();
    runner
        .withBean(Store.class, () -> store)
        .withPropertyValues("punctual.url=redis://localhost:1")
        .run(context -> assertThat(context.getBean(Punctual.class).store()).startsWith("memory:"));
  }

  @Test
  void connectionDetails_comeBeforeTheUrl() {
    runner
        .withBean(PunctualConnectionDetails.class, () -> () -> "memory:")
        .withPropertyValues("punctual.url=redis://localhost:1")
        .run(context -> assertThat(context.getBean(Punctual.class).store()).startsWith("memory:"));
  }

  @Test
  void url_comesBeforeDataRedis() {
    memory
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .run(context -> assertThat(context.getBean(Punctual.class).store()).startsWith("memory:"));
  }

  @Test
  void redisAway_startsInTheBackground() {
    runner
        .withPropertyValues(
            "punctual.url=redis://localhost:1", "punctual.startup.on-unavailable=background")
        .withBean(OrderListener.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              RegisteredListener listener =
                  context.getBean(PunctualListenerRegistry.class).find("orders").orElseThrow();
              assertThat(listener.isRunning()).isTrue();
            });
  }

  @Test
  void redisAway_waitsForTheTimeout() {
    runner
        .withPropertyValues(
            "punctual.url=redis://user:secret@localhost:1",
            "punctual.startup.on-unavailable=wait",
            "punctual.startup.timeout=300ms")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .satisfies(
                        root ->
                            assertThat(context.getStartupFailure())
                                .hasStackTraceContaining("within 300 ms")
                                .hasStackTraceContaining(StoreUnavailableException.class.getName())
                                .satisfies(
                                    failure ->
                                        assertThat(failure.toString()).doesNotContain("secret"))));
  }

  @Test
  void customizersObserversAndInterceptors_areApplied() {
    List<Object> events = new CopyOnWriteArrayList<>();
    memory
        .withBean(EventObserver.class, () -> events::add)
        .withBean(
            Interceptor.class,
            () ->
                new Interceptor() {
                  @Override
                  public Around schedule(
                      String queue, String id, Message<?> message, Map<String, String> headers) {
                    events.add("intercepted");
                    return Around.NOTHING;
                  }
                })
        .withBean(PunctualBuilderCustomizer.class, () -> builder -> events.add("customized"))
        .withBean(
            WorkerOptionsCustomizer.class,
            () -> (listener, queue, options) -> events.add(listener + queue))
        .withBean(OrderListener.class)
        .run(
            context -> {
              context
                  .getBean(PunctualTemplate.class)
                  .schedule("orders", new Order("1"), Duration.ZERO);
              assertThat(events).contains("customized", "ordersorders", "intercepted");
              await()
                  .atMost(Duration.ofMinutes(1))
                  .untilAsserted(() -> assertThat(events).hasSizeGreaterThan(5));
            });
  }

  @Test
  void mapperOfTheApplication_isUsed() {
    memory
        .withBean(
            JsonMapper.class,
            () ->
                JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build())
        .run(
            context -> {
              assertThat(context).hasSingleBean(JsonCodecs.class);
              context
                  .getBean(PunctualTemplate.class)
                  .schedule("orders", Message.of(new Order("7")).id("7"));
              byte[] bytes =
                  context
                      .getBean(PunctualQueues.class)
                      .get("orders", byte[].class)
                      .find("7")
                      .orElseThrow()
                      .payloadBytes();
              assertThat(new String(bytes, java.nio.charset.StandardCharsets.UTF_8))
                  .isEqualTo("{\"order_id\":\"7\"}");
            });
  }

  @Test
  void lazyInitialization_doesNotDelayListeners() {
    memory
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .withUserConfiguration(LazyListeners.class)
        .run(
            context ->
                assertThat(context.getBean(PunctualListenerRegistry.class).find("orders"))
                    .get()
                    .satisfies(listener -> assertThat(listener.isRunning()).isTrue()));
  }

  @Configuration(proxyBeanMethods = false)
  static class LazyListeners {
    @Bean
    OrderListener orderListener() {
      return new OrderListener();
    }
  }

  @Test
  void sslBundle_needsATlsUrl() {
    runner
        .withPropertyValues("punctual.url=redis://localhost:1", "punctual.redis.ssl.bundle=missing")
        .run(context -> assertThat(context).hasFailed());
  }
}
