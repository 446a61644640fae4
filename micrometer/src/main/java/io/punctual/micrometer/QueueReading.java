package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.punctual.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The latest counts of a queue, and their gauges. The gauges show NaN after a failed refresh, and
 * if the refresh is late. Thread-safe.
 */
final class QueueReading {
  /** The reply of the store. */
  private record Values(Counts counts, Duration overdue, long nanos) {}

  private final LongSupplier nanoTime;
  private final long staleNanos;
  private final List<Meter> gauges = new ArrayList<>();
  private volatile @Nullable Values latest;

  /**
   * Creates a reading without values.
   *
   * @param stale the age from which values are no longer shown
   */
  QueueReading(LongSupplier nanoTime, Duration stale) {
    this.nanoTime = nanoTime;
    this.staleNanos = stale.toNanos();
  }

  void register(MeterRegistry registry, String queue) {
    messages(registry, queue, "scheduled", Counts::scheduled);
    messages(registry, queue, "ready", Counts::ready);
    messages(registry, queue, "leased", Counts::leased);
    messages(registry, queue, "dead", Counts::dead);
    gauges.add(
        TimeGauge.builder(
                "punctual.queue.overdue.age",
                this,
                TimeUnit.SECONDS,
                reading -> reading.show(values -> values.overdue().toNanos() / 1e9))
            .description("The time since the due time of the oldest message that no worker claimed")
            .tag("queue", queue)
            .register(registry));
    gauges.add(
        Gauge.builder(
                "punctual.queue.paused",
                this,
                reading -> reading.show(values -> values.counts().paused() ? 1 : 0))
            .description("1 if the queue is paused")
            .tag("queue", queue)
            .register(registry));
  }

  private void messages(
      MeterRegistry registry, String queue, String state, ToDoubleFunction<Counts> count) {
    gauges.add(
        Gauge.builder(
                "punctual.queue.messages",
                this,
                reading -> reading.show(values -> count.applyAsDouble(values.counts())))
            .description("Messages of the queue in the store")
            .tag("queue", queue)
            .tag("state", state)
            .register(registry));
  }

  private double show(ToDoubleFunction<Values> value) {
    Values values = latest;
    boolean isCurrent = values != null && nanoTime.getAsLong() - values.nanos() <= staleNanos;
    return isCurrent ? value.applyAsDouble(values) : Double.NaN;
  }

  void read(Counts counts, Duration overdue) {
    latest = new Values(counts, overdue, nanoTime.getAsLong());
  }

  void failed() {
    latest = null;
  }

  void unregister(MeterRegistry registry) {
    gauges.forEach(registry::remove);
  }
}
