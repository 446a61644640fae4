package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.lock.LockListener;
import io.punctual.micrometer.PunctualLockMeters;
import io.punctual.micrometer.PunctualMeters;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class PunctualMetricsAutoConfigurationTest {
  private final ApplicationContextRunner withoutRegistry =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualMetricsAutoConfiguration.class, PunctualAutoConfiguration.class))
          .withPropertyValues("punctual.url=memory:");
  private final ApplicationContextRunner runner =
      withoutRegistry.withConfiguration(
          AutoConfigurations.of(
              MetricsAutoConfiguration.class,
              CompositeMeterRegistryAutoConfiguration.class,
              SimpleMetricsExportAutoConfiguration.class));

  @Test
  void queueNamedTwice_isCounted() {
    runner
        .withPropertyValues("punctual.metrics.queues=orders,orders")
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PunctualMeters.class));
  }

  @Test
  void registryOfSpringBoot_receivesTheMetersOfTheClient() {
    runner
        .withPropertyValues("punctual.metrics.queue-gauges=all", "punctual.metrics.refresh=100ms")
        .run(
            context -> {
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              Punctual punctual = context.getBean(Punctual.class);
              var queue = punctual.queue("orders", Codec.string());
              queue.schedule("later", Duration.ofHours(1));
              queue.work(delivery -> {});
              queue.schedule("now", Duration.ZERO);
              await()
                  .atMost(Duration.ofMinutes(1))
                  .untilAsserted(
                      () -> {
                        assertThat(
                                registry
                                    .get("punctual.queue.messages")
                                    .tags("queue", "orders", "state", "scheduled")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                        assertThat(
                                registry
                                    .get("punctual.settled")
                                    .tags("queue", "orders", "outcome", "acked")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                        assertThat(registry.get("punctual.store.up").gauge().value()).isEqualTo(1);
                      });
              assertThat(context).hasSingleBean(PunctualLockMeters.class);
            });
  }

  /** Micrometer logs a warning if a gauge is registered a second time. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void refresh_registersNoGaugeTwice(CapturedOutput output) {
    runner
        .withPropertyValues("punctual.metrics.queues=orders", "punctual.metrics.refresh=100ms")
        .run(
            context -> {
              var queue = context.getBean(Punctual.class).queue("orders", Codec.string());
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              for (int messages = 1; messages <= 3; messages++) {
                queue.schedule("later", Duration.ofHours(1));
                int expected = messages;
                await().atMost(Duration.ofMinutes(1)).until(() -> scheduled(registry) == expected);
              }
            });
    assertThat(output).doesNotContain("already registered");
  }

  private static double scheduled(MeterRegistry registry) {
    Gauge gauge =
        registry
            .find("punctual.queue.messages")
            .tags("queue", "orders", "state", "scheduled")
            .gauge();
    return gauge == null ? 0 : gauge.value();
  }

  @Test
  void closedContext_leavesNoGauges() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    withoutRegistry
        .withBean(MeterRegistry.class, () -> registry)
        .withPropertyValues("punctual.metrics.queues=orders", "punctual.metrics.refresh=100ms")
        .run(
            context -> {
              Punctual punctual = context.getBean(Punctual.class);
              punctual.queue("orders", Codec.string()).schedule("later", Duration.ofHours(1));
              await()
                  .atMost(Duration.ofMinutes(1))
                  .until(() -> registry.find("punctual.queue.paused").gauge() != null);
            });
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> registry.find("punctual.queue.paused").gauge() == null);
  }

  @Test
  void noRegistry_hasNoMeters() {
    withoutRegistry.run(
        context -> {
          assertThat(context).hasNotFailed().doesNotHaveBean(PunctualMeters.class);
          assertThat(context).hasSingleBean(Punctual.class);
        });
  }

  @Test
  void micrometerIsAbsent_hasNoMeters() {
    runner
        .withClassLoader(new FilteredClassLoader("io.micrometer"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Punctual.class));
  }

  @Test
  void moduleIsAbsent_hasNoMeters() {
    runner
        .withClassLoader(new FilteredClassLoader("io.punctual.micrometer"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Punctual.class));
  }

  @Test
  void locksAreAbsent_hasTheOtherMeters() {
    runner
        .withClassLoader(new FilteredClassLoader("io.punctual.lock"))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(PunctualMeters.class)
                    .doesNotHaveBean("punctualLockMeters"));
  }

  @Test
  void disabled_hasNoMeters() {
    runner
        .withPropertyValues("punctual.metrics.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Punctual.class)
                    .doesNotHaveBean(PunctualMeters.class)
                    .doesNotHaveBean(LockListener.class));
  }

  @Test
  void punctualIsDisabled_hasNoMeters() {
    runner
        .withPropertyValues("punctual.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(PunctualMeters.class));
  }

  @Test
  void metersOfTheApplication_replaceOurs() {
    PunctualMeters own = PunctualMeters.builder(new SimpleMeterRegistry()).build();
    runner
        .withBean("ownMeters", PunctualMeters.class, () -> own)
        .run(
            context -> {
              assertThat(context).getBean(PunctualMeters.class).isSameAs(own);
              assertThat(context).doesNotHaveBean("punctualMetersBinding");
              own.bindTo(context.getBean(Punctual.class));
            });
  }
}
