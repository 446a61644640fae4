package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.punctual.Worker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/**
 * Gauges of workers. Workers of the same queue and name share the gauges, which show their sum. The
 * gauges end with the last of these workers. Thread-safe.
 */
final class WorkerGauges {
  private record Key(String queue, String listener) {
    static Key of(Worker worker) {
      return new Key(worker.queue(), worker.name());
    }
  }

  private record Group(List<Worker> workers, List<Meter> gauges) {}

  private final MeterRegistry registry;

  /** Guarded by this object. */
  private final Map<Key, Group> groups = new HashMap<>();

  WorkerGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  synchronized void started(Worker worker) {
    groups.computeIfAbsent(Key.of(worker), this::group).workers().add(worker);
  }

  private Group group(Key key) {
    List<Worker> workers = new CopyOnWriteArrayList<>();
    List<Meter> gauges = new ArrayList<>();
    gauges.add(gauge("punctual.worker.running", "Running handlers", key, workers, Worker::running));
    gauges.add(
        gauge(
            "punctual.worker.concurrency",
            "Handlers that may run at once",
            key,
            workers,
            Worker::concurrency));
    return new Group(workers, gauges);
  }

  private Gauge gauge(
      String name, String description, Key key, List<Worker> workers, ToIntFunction<Worker> value) {
    return Gauge.builder(name, workers, all -> all.stream().mapToInt(value).sum())
        .description(description)
        .tag("queue", key.queue())
        .tag("listener", key.listener())
        .strongReference(true)
        .register(registry);
  }

  synchronized void stopped(Worker worker) {
    Group group = groups.get(Key.of(worker));
    if (group != null) {
      group.workers().remove(worker);
      if (group.workers().isEmpty()) {
        groups.remove(Key.of(worker));
        group.gauges().forEach(registry::remove);
      }
    }
  }

  synchronized void close() {
    groups.values().forEach(group -> group.gauges().forEach(registry::remove));
    groups.clear();
  }
}
