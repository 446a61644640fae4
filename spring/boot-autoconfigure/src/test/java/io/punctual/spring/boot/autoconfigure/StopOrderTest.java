package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.RegisteredListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Tests the order of a shutdown: first the listeners stop, then Spring Data's connection factory
 * stops, then the client closes.
 */
class StopOrderTest {
  static class Slow {
    final CountDownLatch running = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);
    final CompletableFuture<String> effect = new CompletableFuture<>();
    private final StringRedisTemplate redis;

    Slow(StringRedisTemplate redis) {
      this.redis = redis;
    }

    @PunctualListener(value = "orders", id = "orders")
    void handle(String text) throws InterruptedException {
      running.countDown();
      gate.await();
      try {
        redis.opsForValue().set("effect", text);
        effect.complete(redis.opsForValue().get("effect"));
      } catch (RuntimeException e) {
        effect.completeExceptionally(e);
        throw e;
      }
    }
  }

  @Test
  void lettuceConnectionFactory_stopsAfterTheListeners() {
    try (RedisProcess redis = RedisProcess.start()) {
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class, DataRedisAutoConfiguration.class))
          .withPropertyValues("spring.data.redis.port=" + redis.port())
          .withBean(Slow.class)
          .run(StopOrderTest::closeWhileAHandlerRuns);
    }
  }

  private static void closeWhileAHandlerRuns(AssertableApplicationContext context)
      throws Exception {
    LettuceConnectionFactory lettuce = context.getBean(LettuceConnectionFactory.class);
    PunctualListenerRegistry registry = context.getBean(PunctualListenerRegistry.class);
    RegisteredListener listener = registry.find("orders").orElseThrow();
    Slow slow = context.getBean(Slow.class);
    PunctualTemplate template = context.getBean(PunctualTemplate.class);
    template.schedule("orders", "hi", Duration.ZERO);
    assertThat(slow.running.await(60, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
    await().atMost(Duration.ofMinutes(1)).until(() -> !listener.isRunning());
    assertThat(lettuce.isRunning()).as("Lettuce runs while the handler runs").isTrue();
    assertThat(closed).isNotDone();
    slow.gate.countDown();
    assertThat(slow.effect.get(60, TimeUnit.SECONDS)).isEqualTo("hi");
    closed.get(60, TimeUnit.SECONDS);
    assertThat(lettuce.isRunning()).isFalse();
    assertThat(registry.getPhase()).isGreaterThan(lettuce.getPhase());
    assertThatThrownBy(() -> template.schedule("orders", "hi", Duration.ZERO))
        .hasMessageContaining("closed");
  }
}
