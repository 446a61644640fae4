package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.RedisLocks;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualCodecs;
import io.punctual.spring.PunctualListenerBeanPostProcessor;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTemplate;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests that beans of the application replace beans of the auto-configuration. */
class UserBeansTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class,
                  PunctualHealthAutoConfiguration.class,
                  PunctualEndpointAutoConfiguration.class))
          .withPropertyValues("management.endpoints.web.exposure.include=*");
  private final ApplicationContextRunner memory = runner.withPropertyValues("punctual.url=memory:");

  @Test
  void client() {
    Punctual punctual = Punctual.open("memory:");
    replaces(runner, Punctual.class, punctual);
  }

  @Test
  void codecsAndDefaults() {
    PunctualCodecs codecs = type -> Codec.bytes();
    ListenerDefaults defaults = queue -> WorkerOptions.DEFAULT;
    replaces(memory, PunctualCodecs.class, codecs);
    replaces(memory, ListenerDefaults.class, defaults);
  }

  @Test
  void queuesTemplateAndListeners() {
    try (Punctual punctual = Punctual.open("memory:")) {
      PunctualQueues queues = new PunctualQueues(punctual, PunctualCodecs.standard());
      replaces(memory, PunctualQueues.class, queues);
      replaces(memory, PunctualTemplate.class, new PunctualTemplate(queues));
      replaces(
          memory,
          PunctualListenerRegistry.class,
          new PunctualListenerRegistry(punctual, PunctualCodecs.standard(), ListenerDefaults.CORE));
    }
    replaces(
        memory, PunctualListenerBeanPostProcessor.class, new PunctualListenerBeanPostProcessor());
  }

  @Test
  void locks() {
    try (RedisProcess redis = RedisProcess.start();
        RedisLocks locks = RedisLocks.open(redis.url())) {
      replaces(memory, RedisLocks.class, locks);
    }
  }

  @Test
  void endpoints() {
    try (Punctual punctual = Punctual.open("memory:")) {
      replaces(
          memory,
          PunctualEndpoint.class,
          new PunctualEndpoint(punctual, new PunctualEndpointProperties(Show.NEVER, Set.of())));
    }
  }

  @Test
  void health() {
    HealthIndicator indicator = () -> Health.up().build();
    memory
        .withBean("punctualHealthIndicator", HealthIndicator.class, () -> indicator)
        .run(context -> assertThat(context).getBean(HealthIndicator.class).isSameAs(indicator));
  }

  private static <T> void replaces(ApplicationContextRunner runner, Class<T> type, T bean) {
    runner
        .withBean(type, () -> bean)
        .run(context -> assertThat(context).getBean(type).isSameAs(bean));
  }
}
