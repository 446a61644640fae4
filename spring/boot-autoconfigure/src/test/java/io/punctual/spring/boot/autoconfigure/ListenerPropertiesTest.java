package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.RegisteredListener;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ListenerPropertiesTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class))
          .withPropertyValues("punctual.url=memory:");

  static class OrderListener {
    @PunctualListener(value = "orders", id = "orders")
    void handle(String order) {}
  }

  @Test
  void properties_setTheOptionsOfListeners() {
    runner
        .withPropertyValues(
            "punctual.listener.concurrency=3",
            "punctual.listener.prefetch=30",
            "punctual.listener.lease=40s",
            "punctual.listener.handler-timeout=20s",
            "punctual.listener.interrupt-on-lease-lost=true",
            "punctual.listener.dead-letter-max-age=90d",
            "punctual.queues.orders.dead-letter-max-count=1000",
            "punctual.listener.retry.type=fixed",
            "punctual.listener.retry.first=7s",
            "punctual.listener.retry.max-attempts=9",
            "punctual.queues.orders.concurrency=5",
            "punctual.queues.orders.retry.delays=1s,2s",
            "punctual.queues.[a.b].batch-size=7",
            "punctual.queues.orders.auto-startup=false")
        .withBean(OrderListener.class)
        .run(
            context -> {
              ListenerDefaults defaults = context.getBean(ListenerDefaults.class);
              WorkerOptions all = defaults.options("more");
              assertThat(all.concurrency()).isEqualTo(3);
              assertThat(all.prefetch()).isEqualTo(30);
              assertThat(all.lease()).isEqualTo(Duration.ofSeconds(40));
              assertThat(all.handlerTimeout()).contains(Duration.ofSeconds(20));
              assertThat(all.interruptOnLeaseLost()).isTrue();
              assertThat(all.shutdownGrace()).isEqualTo(Duration.ofSeconds(18));
              assertThat(all.retryPolicy().maxAttempts()).isEqualTo(9);
              assertThat(delay(all.retryPolicy())).contains(Duration.ofSeconds(7));
              assertThat(all.deadLetterRetention())
                  .isEqualTo(DeadLetterRetention.KEEP_ALL.withMaxAge(Duration.ofDays(90)));
              WorkerOptions orders = defaults.options("orders");
              assertThat(orders.deadLetterRetention())
                  .isEqualTo(all.deadLetterRetention().withMaxCount(1000));
              assertThat(orders.concurrency()).isEqualTo(5);
              assertThat(delay(orders.retryPolicy())).contains(Duration.ofSeconds(1));
              assertThat(orders.retryPolicy().maxAttempts()).isEqualTo(9);
              assertThat(defaults.options("a.b").batchSize()).isEqualTo(7);
              PunctualListenerRegistry registry = context.getBean(PunctualListenerRegistry.class);
              RegisteredListener listener = registry.find("orders").orElseThrow();
              assertThat(listener.isRunning()).isFalse();
              listener.start();
              assertThat(listener.workers().get(0).concurrency()).isEqualTo(5);
            });
  }

  @Test
  void retryPropertiesOfAQueue_changeSinglePropertiesOfAllListeners() {
    runner
        .withPropertyValues(
            "punctual.listener.retry.type=fixed",
            "punctual.listener.retry.first=7s",
            "punctual.listener.retry.max-attempts=20",
            "punctual.queues.first.retry.first=3s",
            "punctual.queues.attempts.retry.max-attempts=2",
            "punctual.queues.bound.retry.max=1ms",
            "punctual.queues.bound.retry.first=1ms",
            "punctual.queues.never.retry.type=never")
        .run(
            context -> {
              ListenerDefaults defaults = context.getBean(ListenerDefaults.class);
              RetryPolicy first = defaults.options("first").retryPolicy();
              assertThat(first.maxAttempts()).isEqualTo(20);
              assertThat(delay(first)).contains(Duration.ofSeconds(3));
              RetryPolicy attempts = defaults.options("attempts").retryPolicy();
              assertThat(attempts.maxAttempts()).isEqualTo(2);
              assertThat(delay(attempts)).contains(Duration.ofSeconds(7));
              assertThat(delay(defaults.options("bound").retryPolicy()).orElseThrow())
                  .isLessThanOrEqualTo(Duration.ofMillis(1));
              assertThat(defaults.options("never").retryPolicy().maxAttempts()).isEqualTo(1);
            });
  }

  private static Optional<Duration> delay(RetryPolicy policy) {
    return policy.delayAfter(1, new IllegalStateException(), new Random(1));
  }

  @Test
  void virtualThreads_followSpringsProperty() {
    runner.run(
        context ->
            assertThat(context.getBean(ListenerDefaults.class).options("a").threads())
                .isEqualTo(WorkerOptions.Threads.PLATFORM));
    runner
        .withPropertyValues("spring.threads.virtual.enabled=true")
        .run(
            context ->
                assertThat(context.getBean(ListenerDefaults.class).options("a").threads())
                    .isEqualTo(
                        Runtime.version().feature() >= 21
                            ? WorkerOptions.Threads.VIRTUAL
                            : WorkerOptions.Threads.PLATFORM));
  }
}
