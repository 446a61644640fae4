package io.punctual.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests an application with its own client, which the test support cannot replace. */
class OwnClientTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualTestAutoConfiguration.class, PunctualAutoConfiguration.class));

  @Test
  void ownClient_failsTheTest() {
    runner
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .withBean(Punctual.class, () -> Punctual.open("memory:"))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("its own bean of Punctual, with the store 'memory:'"));
  }

  @Test
  void clientOfTheAutoConfiguration_isUsed() {
    runner.run(context -> assertThat(context).hasSingleBean(PunctualTester.class));
  }
}
