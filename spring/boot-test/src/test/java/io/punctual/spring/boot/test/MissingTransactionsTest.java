package io.punctual.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Tests a bean that needs {@link PunctualTransactions}, which a store in memory does not have. */
class MissingTransactionsTest {
  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    Object orders(PunctualTransactions transactions) {
      return transactions;
    }
  }

  @Test
  void beanThatNeedsTransactions_failsWithAdvice() {
    AtomicReference<BeanFactory> beans = new AtomicReference<>();
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PunctualTestAutoConfiguration.class, PunctualAutoConfiguration.class))
        .withInitializer(context -> beans.set(context.getBeanFactory()))
        .withUserConfiguration(Application.class)
        .run(
            context -> {
              FailureAnalyzer analyzer = new MissingTransactionsFailureAnalyzer(beans.get());
              assertThat(analyzer.analyze(context.getStartupFailure()).getAction())
                  .contains("remove @AutoConfigurePunctualTest", "create-tables=true");
              FailureAnalyzer other =
                  new MissingTransactionsFailureAnalyzer(new DefaultListableBeanFactory());
              assertThat(other.analyze(context.getStartupFailure())).isNull();
            });
  }

  @Test
  void analyzer_isFound() {
    assertThat(
            SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                    FailureAnalyzer.class,
                    ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory()),
                    FailureHandler.handleMessage((message, failure) -> {})))
        .hasAtLeastOneElementOfType(MissingTransactionsFailureAnalyzer.class);
  }
}
