package io.punctual.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.punctual.rabbitmq.IntakeStats;
import io.punctual.rabbitmq.RabbitBridge;
import io.punctual.rabbitmq.RabbitIntake;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Meters of intakes and bridges of RabbitMQ, by the queue of Punctual. {@link PunctualMeters} has
 * those of the queue, and of the worker that publishes due messages.
 *
 * <pre>{@code
 * PunctualRabbitMeters meters = PunctualRabbitMeters.of(intake, registry);
 * }</pre>
 *
 * <ul>
 *   <li>{@code punctual.rabbitmq.available}: 1 if the intake or the bridge works
 *   <li>{@code punctual.rabbitmq.intake.stored}: the number of messages that were stored
 *   <li>{@code punctual.rabbitmq.intake.duplicates}: the number of dropped repetitions
 *   <li>{@code punctual.rabbitmq.intake.renamed}: the number of messages with a longer id
 *   <li>{@code punctual.rabbitmq.intake.refused}: the number of messages in the queue for refused
 *       messages
 *   <li>{@code punctual.rabbitmq.intake.unacked}: the number of messages that are not acked now
 *   <li>{@code punctual.rabbitmq.intake.unacked.bytes}: the size of their bodies
 *   <li>{@code punctual.rabbitmq.intake.failed}: how many of them are tried again
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class PunctualRabbitMeters implements AutoCloseable {
  private static final String INTAKE = "punctual.rabbitmq.intake.";

  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();

  private PunctualRabbitMeters(MeterRegistry registry, String queue) {
    this.registry = registry;
    this.tags = Tags.of("queue", queue);
  }

  /** Registers the meters of an intake. */
  public static PunctualRabbitMeters of(RabbitIntake intake, MeterRegistry registry) {
    return of(intake.queue(), intake::intakeStats, intake::isAvailable, registry);
  }

  /** Registers the meters of a bridge. */
  public static PunctualRabbitMeters of(RabbitBridge bridge, MeterRegistry registry) {
    PunctualRabbitMeters created = new PunctualRabbitMeters(registry, bridge.queue());
    created.available(bridge::isAvailable);
    return created;
  }

  static PunctualRabbitMeters of(
      String queue,
      Supplier<IntakeStats> stats,
      BooleanSupplier available,
      MeterRegistry registry) {
    PunctualRabbitMeters created = new PunctualRabbitMeters(registry, queue);
    created.available(available);
    created.counter("stored", "Messages that were stored", stats, IntakeStats::stored);
    created.counter(
        "duplicates", "Messages that were dropped as repetitions", stats, IntakeStats::duplicates);
    created.counter(
        "renamed", "Messages that were stored under a longer id", stats, IntakeStats::renamed);
    created.counter(
        "refused",
        "Messages that were moved to the queue for refused messages",
        stats,
        IntakeStats::refused);
    created.gauge(
        "unacked", "Messages that have arrived and are not acked", stats, IntakeStats::unacked);
    created.gauge(
        "unacked.bytes", "The size of the unacked bodies", stats, IntakeStats::unackedBytes);
    created.gauge("failed", "Unacked messages that are tried again", stats, IntakeStats::failed);
    return created;
  }

  private void available(BooleanSupplier available) {
    meters.add(
        Gauge.builder("punctual.rabbitmq.available", () -> available.getAsBoolean() ? 1 : 0)
            .description("1 if messages are received and accepted")
            .tags(tags)
            .register(registry));
  }

  private void counter(
      String name,
      String description,
      Supplier<IntakeStats> stats,
      ToDoubleFunction<IntakeStats> count) {
    // The meter holds only its function, not its object.
    meters.add(
        FunctionCounter.builder(INTAKE + name, stats, ignored -> count.applyAsDouble(stats.get()))
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private void gauge(
      String name,
      String description,
      Supplier<IntakeStats> stats,
      ToDoubleFunction<IntakeStats> value) {
    meters.add(
        Gauge.builder(INTAKE + name, () -> value.applyAsDouble(stats.get()))
            .description(description)
            .tags(tags)
            .register(registry));
  }

  /** Removes the meters, for example when the intake or the bridge was closed. */
  @Override
  public void close() {
    meters.forEach(registry::remove);
  }
}
