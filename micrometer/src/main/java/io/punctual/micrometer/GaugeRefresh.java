package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the store for the counts of queues, and shows the counts in gauges. Only one thread calls
 * {@link #run}; many threads may read the gauges.
 */
final class GaugeRefresh {
  private static final Logger log = LoggerFactory.getLogger(PunctualMeters.class);

  /** How long a refresh waits for each reply. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final MeterRegistry registry;
  private final Tags tags;
  private final Punctual punctual;
  private final Supplier<Set<String>> wanted;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Duration stale;
  private final Map<String, QueueReading> readings = new ConcurrentHashMap<>();
  private final GaugeGroup up;
  private final WorkerGauges workers;
  private boolean failing;
  private volatile boolean answers = true;

  /**
   * Creates a refresh, and registers the gauge of the store.
   *
   * @param workers gauges of workers; each refresh registers those that are missing
   * @param wanted returns the names of the queues to count; may ask the store
   */
  GaugeRefresh(
      MeterRegistry registry,
      Tags tags,
      Punctual punctual,
      WorkerGauges workers,
      Supplier<Set<String>> wanted,
      Clock clock,
      LongSupplier nanoTime,
      Duration period) {
    this.registry = registry;
    this.tags = tags;
    this.workers = workers;
    this.punctual = punctual;
    this.wanted = wanted;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.stale = period.multipliedBy(3).plus(TIMEOUT);
    this.up = new GaugeGroup(registry);
    up.add(
        Gauge.builder("punctual.store.up", this, GaugeRefresh::up)
                .description("1 if the store answers")
                .tags(tags)
            ::register);
    up.show();
  }

  private double up() {
    return answers && punctual.status().reachable() ? 1 : 0;
  }

  /**
   * Refreshes all gauges.
   *
   * @return false if the client is closed
   */
  boolean run() {
    try {
      showAll();
      refresh();
      return true;
    } catch (ClientClosedException closed) {
      return false;
    } catch (RuntimeException | Error e) {
      readings.values().forEach(QueueReading::failed);
      failed(e);
      return true;
    }
  }

  /**
   * A gauge may be missing because a different client owned it, or because the application removed
   * it from the registry.
   */
  private void showAll() {
    up.show();
    workers.show();
    readings.values().forEach(QueueReading::show);
  }

  private void refresh() {
    ping();
    Set<String> queues = wanted.get();
    forgetOthers(queues);
    RuntimeException failure = null;
    for (String queue : queues) {
      try {
        read(queue);
      } catch (ClientClosedException | StoreUnavailableException e) {
        throw e;
      } catch (RuntimeException e) {
        reading(queue).failed();
        failure = e;
      }
    }
    if (failure == null) {
      succeeded();
    } else {
      failed(failure);
    }
  }

  /** Asks the store, because a client that makes no calls does not notice an outage. */
  private void ping() {
    try {
      Duration unused = punctual.ping(TIMEOUT);
      answers = true;
    } catch (RuntimeException e) {
      answers = false;
      throw e;
    }
  }

  private void read(String name) {
    TimedQueue<byte[]> queue = punctual.queue(name, Codec.bytes()).withTimeout(TIMEOUT);
    Counts counts = queue.counts();
    reading(name).read(counts, counts.ready() == 0 ? Duration.ZERO : overdue(queue));
  }

  private Duration overdue(TimedQueue<byte[]> queue) {
    return queue.browse(State.READY, 1).items().stream()
        .findFirst()
        .map(oldest -> Duration.between(oldest.dueAt(), clock.instant()))
        .filter(age -> !age.isNegative())
        .orElse(Duration.ZERO);
  }

  private QueueReading reading(String queue) {
    QueueReading known = readings.get(queue);
    if (known != null) {
      return known;
    }
    QueueReading created = new QueueReading(registry, tags, queue, nanoTime, stale);
    readings.put(queue, created);
    created.show();
    return created;
  }

  private void forgetOthers(Set<String> queues) {
    for (String gone : new HashSet<>(readings.keySet())) {
      if (!queues.contains(gone)) {
        forget(gone);
      }
    }
  }

  private void forget(String queue) {
    QueueReading reading = readings.remove(queue);
    if (reading != null) {
      reading.remove();
    }
  }

  private void failed(Throwable failure) {
    if (!failing) {
      failing = true;
      log.warn(
          "The gauges of queues can't be refreshed and show NaN until the store answers: {}",
          failure.toString(),
          failure instanceof PunctualException ? null : failure);
    }
  }

  private void succeeded() {
    if (failing) {
      failing = false;
      log.info("The gauges of queues are refreshed again");
    }
  }

  /** Removes the gauges. */
  void close() {
    up.remove();
    new HashSet<>(readings.keySet()).forEach(this::forget);
  }
}
