package io.punctual.spring.boot.test;

import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import io.punctual.spring.boot.autoconfigure.PunctualBuilderCustomizer;
import io.punctual.spring.boot.autoconfigure.WorkerOptionsCustomizer;
import io.punctual.test.ManualClock;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Configures the clock, the store in memory and the tester. */
@AutoConfiguration(before = PunctualAutoConfiguration.class)
public final class PunctualTestAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  static ManualClock punctualTestClock() {
    return new ManualClock();
  }

  /**
   * The store in memory. If the application has access to transactions, the store takes part in
   * them.
   */
  @Bean
  @Primary
  static Store punctualTestStore(
      ManualClock clock, ObjectProvider<PunctualTransactions> transactions) {
    Store memory = MemoryStore.builder().clock(clock).build();
    return transactions.stream().findAny().isPresent() ? TransactionalStore.of(memory) : memory;
  }

  @Bean
  static TestTimer punctualTestTimer(ManualClock clock) {
    return new TestTimer(clock);
  }

  /**
   * Switches the linger of batches off. Otherwise a test would block: a batch lingers until the
   * clock advances, but the tester advances the clock only after the batch has been processed.
   */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  static WorkerOptionsCustomizer punctualTestBatches() {
    return (listener, queue, options) -> options.batchLinger(Duration.ZERO);
  }

  @Bean
  @Lazy(false)
  static TestShutdown punctualTestShutdown(PunctualListenerRegistry registry, ManualClock clock) {
    return new TestShutdown(registry, clock);
  }

  /**
   * Creates the tester. The bean is never lazy, so that a test with its own client fails before any
   * listener runs.
   */
  @Bean
  @Lazy(false)
  static PunctualTester punctualTester(
      Punctual punctual,
      PunctualQueues queues,
      PunctualListenerRegistry registry,
      ManualClock clock,
      TestTimer timer) {
    if (!timer.used) {
      throw new IllegalStateException(
          "The test needs the client of the auto-configuration, but the application has its own"
              + " bean of Punctual, with the store '"
              + punctual.store()
              + "'. Leave that bean out of the test, for example by @Profile(\"!test\"), or change"
              + " the client by a bean of PunctualBuilderCustomizer instead");
    }
    return new PunctualTester(punctual, queues, registry, clock);
  }

  /**
   * Sets the test's clock in the client that the auto-configuration creates, and records that this
   * client exists.
   */
  static final class TestTimer implements PunctualBuilderCustomizer {
    private final ManualClock clock;
    private boolean used;

    TestTimer(ManualClock clock) {
      this.clock = clock;
    }

    @Override
    public void customize(PunctualBuilder builder) {
      builder.timer(clock);
      used = true;
    }
  }
}
