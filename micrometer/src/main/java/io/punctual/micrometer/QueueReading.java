package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.punctual.Counts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The latest counts of a queue, and their gauges. The gauges show NaN after a failed refresh, and
 * when the counts are too old. Thread-safe.
 */
final class QueueReading {
  /** The reply of the store, and when it arrived. */
  private record Values(Counts counts, long nanos) {}

  private final LongSupplier nanoTime;
  private final LongSupplier staleNanos;
  private final Tags tags;
  private final GaugeGroup gauges;
  private volatile @Nullable Values latest;

  /**
   * Creates a reading without values.
   *
   * @param staleNanos returns the maximum age of counts that the gauges show
   */
  QueueReading(
      MeterRegistry registry,
      Tags tags,
      String queue,
      LongSupplier nanoTime,
      LongSupplier staleNanos) {
    this.tags = tags;
    this.nanoTime = nanoTime;
    this.staleNanos = staleNanos;
    this.gauges = new GaugeGroup(registry);
    messages(queue, "scheduled", Counts::scheduled);
    messages(queue, "ready", Counts::ready);
    messages(queue, "leased", Counts::leased);
    messages(queue, "dead", Counts::dead);
    messages(queue, "finished", Counts::finished);
    gauges.add(
        TimeGauge.builder(
                    "punctual.queue.overdue.age",
                    this,
                    TimeUnit.SECONDS,
                    reading -> reading.show(values -> seconds(values.counts().overdue())))
                .description(
                    "The time since the due time of the oldest message that no worker claimed")
                .tag("queue", queue)
                .tags(tags)
            ::register);
    gauges.add(
        Gauge.builder(
                    "punctual.queue.paused",
                    this,
                    reading -> reading.show(values -> values.counts().paused() ? 1 : 0))
                .description("1 if the queue is paused")
                .tag("queue", queue)
                .tags(tags)
            ::register);
  }

  private void messages(String queue, String state, ToDoubleFunction<Counts> count) {
    gauges.add(
        Gauge.builder(
                    "punctual.queue.messages",
                    this,
                    reading -> reading.show(values -> count.applyAsDouble(values.counts())))
                .description("Messages of the queue in the store")
                .tag("queue", queue)
                .tag("state", state)
                .tags(tags)
            ::register);
  }

  private double show(ToDoubleFunction<Values> value) {
    Values values = latest;
    boolean isCurrent =
        values != null && nanoTime.getAsLong() - values.nanos() <= staleNanos.getAsLong();
    return isCurrent ? value.applyAsDouble(values) : Double.NaN;
  }

  private static double seconds(Duration time) {
    return time.getSeconds() + time.getNano() / 1e9;
  }

  void read(Counts counts) {
    latest = new Values(counts, nanoTime.getAsLong());
  }

  void failed() {
    latest = null;
  }

  /** Registers the gauges that are missing in the registry. */
  void show() {
    gauges.show();
  }

  void remove() {
    gauges.remove();
  }
}
