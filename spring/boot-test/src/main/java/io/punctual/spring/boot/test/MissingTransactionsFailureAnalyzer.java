package io.punctual.spring.boot.test;

import io.punctual.spring.PunctualTransactions;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Explains a test in which a bean needs {@link PunctualTransactions}. Precedes Spring Boot's own
 * analyzer.
 */
@Order(0)
final class MissingTransactionsFailureAnalyzer
    extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
  private final BeanFactory beans;

  MissingTransactionsFailureAnalyzer(BeanFactory beans) {
    this.beans = beans;
  }

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable root, NoSuchBeanDefinitionException cause) {
    if (cause.getBeanType() != PunctualTransactions.class
        || !beans.containsBean("punctualTestStore")) {
      return null;
    }
    return new FailureAnalysis(
        "A bean needs PunctualTransactions, but the test has no DataSource, or punctual-jdbc is not"
            + " on the class path.",
        """
        Choose one of these:
          - use @SpringBootTest with @AutoConfigurePunctualTest, so that the test has the
            application's DataSource, for example H2; @PunctualTest loads listeners only;
          - remove @AutoConfigurePunctualTest or @PunctualTest, and run this test on the SQL store,
            for example on H2 with punctual.jdbc.create-tables=true;
          - replace the bean that needs PunctualTransactions by a double, for example with
            @MockitoBean.\
        """,
        cause);
  }
}
