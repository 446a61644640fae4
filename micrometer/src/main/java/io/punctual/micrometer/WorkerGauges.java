package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.punctual.Worker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Gauges of workers. Workers with the same queue and name share gauges, which show the sum over
 * these workers. The gauges are removed when the last of these workers stops. Thread-safe.
 */
final class WorkerGauges {
  private record Key(String queue, String listener) {
    static Key of(Worker worker) {
      return new Key(worker.queue(), worker.name());
    }
  }

  private record Group(List<Worker> workers, GaugeGroup gauges) {}

  private final MeterRegistry registry;
  private final Tags tags;

  /** Guarded by this object. */
  private final Map<Key, Group> groups = new HashMap<>();

  WorkerGauges(MeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
  }

  synchronized void started(Worker worker) {
    groups.computeIfAbsent(Key.of(worker), this::group).workers().add(worker);
  }

  private Group group(Key key) {
    List<Worker> workers = new CopyOnWriteArrayList<>();
    GaugeGroup gauges = new GaugeGroup(registry);
    gauges.add(gauge("running", "Running handlers", key, workers, Worker::running));
    gauges.add(
        gauge("concurrency", "Handlers that may run at once", key, workers, Worker::concurrency));
    gauges.show();
    return new Group(workers, gauges);
  }

  private Function<MeterRegistry, Gauge> gauge(
      String name, String description, Key key, List<Worker> workers, ToIntFunction<Worker> value) {
    return Gauge.builder(
                "punctual.worker." + name, workers, all -> all.stream().mapToInt(value).sum())
            .description(description)
            .tag("queue", key.queue())
            .tag("listener", key.listener())
            .tags(tags)
            .strongReference(true)
        ::register;
  }

  /** Registers the gauges that are missing in the registry. */
  synchronized void show() {
    groups.values().forEach(group -> group.gauges().show());
  }

  synchronized void stopped(Worker worker) {
    Group group = groups.get(Key.of(worker));
    if (group != null) {
      group.workers().remove(worker);
      if (group.workers().isEmpty()) {
        groups.remove(Key.of(worker));
        group.gauges().remove();
      }
    }
  }

  synchronized void close() {
    groups.values().forEach(group -> group.gauges().remove());
    groups.clear();
  }
}
