package io.punctual.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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

  /** How long a refresh waits for the reply to a ping, or for the counts of a queue. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** The queues that are counted in one call. */
  private static final int PAGE = 100;

  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final MeterRegistry registry;
  private final Tags tags;
  private final Punctual punctual;
  private final Supplier<Set<String>> wanted;
  private final LongSupplier nanoTime;
  private final boolean allQueues;
  private final Duration period;
  private final Map<String, QueueReading> readings = new ConcurrentHashMap<>();
  private final GaugeGroup up;
  private final WorkerGauges workers;
  private boolean failing;

  /** The queues whose last refresh failed although the store answered. */
  private Set<String> failingQueues = Set.of();

  private volatile boolean answers = true;

  /** How long the latest refresh took; zero if it failed, because it waited for the store. */
  private volatile Duration taken = Duration.ZERO;

  /**
   * Creates a refresh, and registers the gauge of the store.
   *
   * @param workers the gauges of workers; each refresh registers the missing gauges again
   * @param wanted returns the names of the queues to count; may ask the store
   * @param allQueues whether these are all queues of the store
   */
  GaugeRefresh(
      MeterRegistry registry,
      Tags tags,
      Punctual punctual,
      WorkerGauges workers,
      Supplier<Set<String>> wanted,
      boolean allQueues,
      LongSupplier nanoTime,
      Duration period) {
    this.registry = registry;
    this.tags = tags;
    this.workers = workers;
    this.punctual = punctual;
    this.wanted = wanted;
    this.nanoTime = nanoTime;
    this.allQueues = allQueues;
    this.period = period;
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
    long begin = nanoTime.getAsLong();
    try {
      showAll();
      refresh();
      taken = Duration.ofNanos(nanoTime.getAsLong() - begin);
      return true;
    } catch (ClientClosedException closed) {
      return false;
    } catch (RuntimeException | Error e) {
      taken = Duration.ZERO;
      readings.values().forEach(QueueReading::failed);
      failed(e);
      return true;
    }
  }

  /**
   * Returns the time between two refreshes: the period, or longer if a refresh would otherwise use
   * more than a tenth of the time, as it does with thousands of queues. It is never longer than
   * {@link #LONGEST} because of this rule, so that a pause of the process has no lasting effect.
   */
  Duration interval() {
    Duration least = taken.multipliedBy(10);
    Duration longer = least.compareTo(LONGEST) > 0 ? LONGEST : least;
    return longer.compareTo(period) > 0 ? longer : period;
  }

  private long staleNanos() {
    return interval().multipliedBy(3).plus(TIMEOUT).toNanos();
  }

  /**
   * Registers the gauges that are missing in the registry. A different client may have owned such a
   * gauge, or the application may have removed it.
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
    Map<String, RuntimeException> failures = new TreeMap<>();
    List<String> names = List.copyOf(queues);
    for (int i = 0; i < names.size(); i += PAGE) {
      List<String> page = names.subList(i, Math.min(names.size(), i + PAGE));
      if (!allQueues
          || !readPage(i == 0 ? Optional.empty() : Optional.of(names.get(i - 1)), page)) {
        page.forEach(queue -> read(queue, failures));
      }
    }
    if (failures.isEmpty()) {
      succeeded();
    } else {
      failed(failures);
    }
  }

  /**
   * Checks whether the store answers, because a client that makes no calls does not notice an
   * outage. A store that answers this request may still be too slow to count a large queue.
   */
  private void ping() {
    try {
      Duration unused = punctual.ping(TIMEOUT);
      answers = true;
    } catch (RuntimeException e) {
      answers = false;
      throw e;
    }
  }

  /**
   * Counts all queues of a page in few calls, which open none of them in this client. Returns false
   * if that fails: then one of them may be too large, and each has to be counted alone.
   */
  private boolean readPage(Optional<String> after, List<String> names) {
    try {
      Set<String> wanted = new HashSet<>(names);
      String last = names.get(names.size() - 1);
      Optional<String> from = after;
      do {
        Page<QueueInfo> page = punctual.queues(new QueueQuery("", from, PAGE));
        page.items().stream()
            .filter(queue -> wanted.remove(queue.name()))
            .forEach(queue -> reading(queue.name()).read(queue.counts()));
        from = page.next(); // queues without gauges may be between
      } while (!wanted.isEmpty() && from.isPresent() && from.get().compareTo(last) < 0);
      return true;
    } catch (ClientClosedException e) {
      throw e;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private void read(String queue, Map<String, RuntimeException> failures) {
    try {
      read(queue);
    } catch (ClientClosedException e) {
      throw e;
    } catch (RuntimeException e) {
      reading(queue).failed();
      failures.put(queue, e);
      if (e instanceof StoreUnavailableException) {
        ping();
      }
    }
  }

  private void read(String name) {
    TimedQueue<byte[]> queue = punctual.queue(name, Codec.bytes()).withTimeout(TIMEOUT);
    reading(name).read(queue.counts());
  }

  private QueueReading reading(String queue) {
    QueueReading known = readings.get(queue);
    if (known != null) {
      return known;
    }
    QueueReading created = new QueueReading(registry, tags, queue, nanoTime, this::staleNanos);
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

  /**
   * Reports the queues that fail while the store answers. Logs a line only when a further queue
   * begins to fail.
   */
  private void failed(Map<String, RuntimeException> failures) {
    if (!failingQueues.containsAll(failures.keySet())) {
      RuntimeException first = failures.values().iterator().next();
      log.warn(
          "The gauges of the queues {} can't be refreshed and show NaN, although the store answers:"
              + " {}",
          failures.keySet(),
          first.toString(),
          first instanceof PunctualException ? null : first);
    }
    failingQueues = Set.copyOf(failures.keySet());
    failing = false;
  }

  private void succeeded() {
    if (failing || !failingQueues.isEmpty()) {
      failing = false;
      failingQueues = Set.of();
      log.info("The gauges of queues are refreshed again");
    }
  }

  /** Removes the gauges of the store and of queues. */
  void close() {
    up.remove();
    new HashSet<>(readings.keySet()).forEach(this::forget);
  }
}
