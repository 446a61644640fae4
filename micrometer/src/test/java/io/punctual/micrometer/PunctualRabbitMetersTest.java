package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.rabbitmq.IntakeStats;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PunctualRabbitMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicReference<IntakeStats> stats =
      new AtomicReference<>(new IntakeStats(1, 2, 3, 4, 5, 6, 7));
  private final AtomicBoolean available = new AtomicBoolean();

  private double counter(String name) {
    return registry
        .get("punctual.rabbitmq.intake." + name)
        .tag("queue", "orders")
        .functionCounter()
        .count();
  }

  private double gauge(String name) {
    return registry.get("punctual.rabbitmq." + name).tag("queue", "orders").gauge().value();
  }

  @Test
  void intake_hasItsFigures_untilTheMetersAreClosed() {
    try (PunctualRabbitMeters meters =
        PunctualRabbitMeters.of("orders", stats::get, available::get, registry)) {
      assertThat(counter("stored")).isEqualTo(1);
      assertThat(gauge("intake.unacked")).isEqualTo(2);
      assertThat(gauge("intake.unacked.bytes")).isEqualTo(3);
      assertThat(gauge("intake.failed")).isEqualTo(4);
      assertThat(counter("duplicates")).isEqualTo(5);
      assertThat(counter("renamed")).isEqualTo(6);
      assertThat(counter("refused")).isEqualTo(7);
      assertThat(gauge("available")).isZero();
      available.set(true);
      assertThat(gauge("available")).isEqualTo(1);
    }
    assertThat(registry.getMeters()).isEmpty();
  }
}
