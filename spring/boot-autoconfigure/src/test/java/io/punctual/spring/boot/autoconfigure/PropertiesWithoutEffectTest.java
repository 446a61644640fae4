package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A property without an effect is refused, and the exception says what to do. */
class PropertiesWithoutEffectTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class));

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      textBlock =
          """
          listener.retry.type=fixed,listener.retry.max=1m,max
          listener.retry.type=fixed,listener.retry.delays=1s,delays
          listener.retry.type=exponential,listener.retry.delays=1s,delays
          listener.retry.delays=1s,listener.retry.first=1s,first
          listener.retry.type=never,listener.retry.max-attempts=3,max-attempts
          queues.orders.retry.type=never,queues.orders.retry.first=3s,first
          startup.on-unavailable=fail,startup.timeout=1s,Startup.WAIT
          """)
  void propertyWithoutEffect_isRefused_andNamed(String one, String other, String text) {
    runner
        .withPropertyValues("punctual.url=memory:", "punctual." + one, "punctual." + other)
        .withPropertyValues("punctual.queues.orders.concurrency=1")
        .run(context -> assertThat(context).getFailure().hasStackTraceContaining(text));
  }

  /** A test replaces the store, but has the properties of the application. */
  @Test
  void startupOfAnOwnStore_isForTheStoreThatItReplaces() {
    runner
        .withBean(Store.class, () -> MemoryStore.builder().build())
        .withPropertyValues("punctual.startup.on-unavailable=background")
        .run(context -> assertThat(context).hasSingleBean(Punctual.class));
  }
}
