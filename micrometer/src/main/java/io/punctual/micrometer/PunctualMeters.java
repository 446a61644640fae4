package io.punctual.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.punctual.Punctual;
import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meters of a client: lateness, settlements, dead letters, workers, queues and the store.
 *
 * <pre>{@code
 * PunctualMeters meters = PunctualMeters.builder(registry).build();
 * Punctual punctual = Punctual.builder().url(url).observer(meters).build();
 * meters.bindTo(punctual);
 * }</pre>
 *
 * <p>As an observer, this object counts the events of the client. {@link #bindTo} starts a daemon
 * thread that asks the store for the counts of queues, by default every 10 seconds; a scrape never
 * waits for the store. If the store does not answer, the gauges of queues show NaN, and the log has
 * one WARN for the outage. The documentation lists the meters.
 *
 * <p>The names of queues and workers are tags. So the number of meters has no limit in a program
 * that creates any number of queues. Create an instance for each client. Safe for use by many
 * threads.
 */
public final class PunctualMeters implements EventObserver, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PunctualMeters.class);

  private final MeterRegistry registry;
  private final Builder settings;
  private final WorkerGauges workers;
  private final Timer outage;
  private final Map<String, MessageMeters> queues = new ConcurrentHashMap<>();
  private final AtomicBoolean toldOfMost = new AtomicBoolean();
  private final Set<String> listened = ConcurrentHashMap.newKeySet();
  private @Nullable RefreshThread refresh;

  private PunctualMeters(Builder settings) {
    this.registry = settings.registry;
    this.settings = settings;
    this.workers = new WorkerGauges(registry, settings.tags);
    this.outage =
        Timer.builder("punctual.store.outage")
            .description("Outages of the store that have ended")
            .tags(settings.tags)
            .register(registry);
  }

  /** Returns a builder of meters in a registry. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public void on(Event event) {
    if (event instanceof Event.MessageHandedOver handed) {
      of(handed).handedOver(handed.attempt(), handed.lateness());
    } else if (event instanceof Event.MessageAcked) {
      of(event).settled(Settled.ACKED);
    } else if (event instanceof Event.MessageRetried) {
      of(event).settled(Settled.RETRIED);
    } else if (event instanceof Event.MessageReleased released) {
      of(event).settled(released.delay() == null ? Settled.RELEASED : Settled.DEFERRED);
    } else if (event instanceof Event.MessageRepeated) {
      of(event).settled(Settled.REPEATED);
    } else if (event instanceof Event.OccurrenceFailed) {
      of(event).settled(Settled.OCCURRENCE_FAILED);
    } else if (event instanceof Event.MessageDiscarded) {
      of(event).settled(Settled.DISCARDED);
    } else if (event instanceof Event.MessageBuried buried) {
      of(event).buried(buried.reason());
    } else if (event instanceof Event.LeaseLost) {
      of(event).settled(Settled.LEASE_LOST);
    } else if (event instanceof Event.WorkerStarted started) {
      listened.add(started.queue());
      of(event);
      workers.started(started.worker());
    } else if (event instanceof Event.WorkerStopped stopped) {
      workers.stopped(stopped.worker());
    } else if (event instanceof Event.StoreRecovered recovered) {
      outage.record(recovered.silence().toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private MessageMeters of(Event event) {
    MessageMeters known = queues.get(event.queue());
    return known != null ? known : queues.computeIfAbsent(event.queue(), this::messageMeters);
  }

  private MessageMeters messageMeters(String queue) {
    return new MessageMeters(registry, settings.tags.and("queue", queue));
  }

  /**
   * Registers the gauges of the store and of queues, and refreshes them until the client or this
   * object is closed.
   *
   * @param punctual the client that this object observes
   * @throws IllegalStateException if this object was bound before
   */
  public synchronized void bindTo(Punctual punctual) {
    if (refresh != null) {
      throw new IllegalStateException(
          "These meters belong to " + refresh + "; create a PunctualMeters for each client");
    }
    refresh = new RefreshThread(punctual.store(), refresh(punctual));
    refresh.start();
  }

  /** Returns a refresh of the client's gauges; the caller must run it. */
  GaugeRefresh refresh(Punctual punctual) {
    return new GaugeRefresh(
        registry,
        settings.tags,
        punctual,
        workers,
        () -> wanted(punctual),
        settings.queueGauges == QueueGauges.ALL,
        settings.nanoTime,
        settings.period);
  }

  private Set<String> wanted(Punctual punctual) {
    Set<String> names = new TreeSet<>();
    boolean all = settings.queueGauges == QueueGauges.ALL;
    if (all || !settings.queues.isEmpty()) {

      // A queue of the settings is left out until it exists in the store, because the look-up of a
      // queue that does not exist would fix its number of partitions in this client.
      names.addAll(punctual.queues());

      names.removeIf(name -> !all && !settings.queues.contains(name));
    }
    if (settings.queueGauges == QueueGauges.LISTENED) {
      names.addAll(listened);
    }
    names.removeIf(name -> !settings.queueFilter.test(name));
    return first(names);
  }

  private Set<String> first(Set<String> names) {
    int most = settings.mostQueues;
    if (names.size() <= most) {
      return names;
    }
    if (!toldOfMost.getAndSet(true)) {
      log.warn(
          "Of {} queues, only the first {} by name have gauges, and their alerts",
          names.size(),
          most);
    }
    return names.stream().limit(most).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Ends the refresh, and removes the gauges from the registry. Does not wait for a refresh in
   * progress; the gauges of the store and of queues are removed after it. Counters and timers stay
   * in the registry.
   */
  @Override
  public synchronized void close() {
    if (refresh != null) {
      refresh.close();
    }
    workers.close();
  }

  /** Builds {@link PunctualMeters}. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private QueueGauges queueGauges = QueueGauges.LISTENED;
    private Set<String> queues = Set.of();
    private Predicate<String> queueFilter = name -> true;
    private int mostQueues = Integer.MAX_VALUE;
    private Tags tags = Tags.empty();
    private Duration period = Duration.ofSeconds(10);
    private LongSupplier nanoTime = System::nanoTime;

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Sets the queues that have gauges; {@link QueueGauges#LISTENED} by default. */
    public Builder queueGauges(QueueGauges queueGauges) {
      this.queueGauges = Objects.requireNonNull(queueGauges, "queueGauges");
      return this;
    }

    /**
     * Sets queues that have gauges in addition to {@link #queueGauges}, for example in a process
     * without workers of these queues. The gauges of a queue appear when the queue exists in the
     * store. A further call replaces these names.
     */
    public Builder queues(String... names) {
      this.queues = Set.copyOf(Arrays.asList(names));
      return this;
    }

    /** Sets which of these queues have gauges, by their names; all by default. */
    public Builder queueFilter(Predicate<String> filter) {
      this.queueFilter = Objects.requireNonNull(filter, "filter");
      return this;
    }

    /**
     * Sets the largest number of queues with gauges, from 1; without a limit by default. Beyond it,
     * the first queues by name have gauges, and a WARN says so once. Each has seven gauges, which
     * take some kilobytes.
     */
    public Builder mostQueues(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("mostQueues must be at least 1, but was " + most);
      }
      this.mostQueues = most;
      return this;
    }

    /**
     * Sets tags for all these meters, to distinguish several clients in one registry. All clients
     * need the same tag keys, because Prometheus refuses meters with the same name and different
     * keys.
     */
    public Builder tags(Iterable<Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * Sets how often the gauges are refreshed, from 100 milliseconds to a day; 10 seconds by
     * default. A refresh makes a call to the store for each partition of each queue with gauges.
     * With thousands of queues, the time between two refreshes is at least ten times the duration
     * of a refresh.
     */
    public Builder refresh(Duration period) {
      if (period.compareTo(Duration.ofMillis(100)) < 0
          || period.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(
            "refresh must be between 100 milliseconds and a day, but was " + period);
      }
      this.period = period;
      return this;
    }

    /** For tests: sets the monotonic clock that measures the age of the counts. */
    Builder nanoTime(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      return this;
    }

    /** Returns the meters. */
    public PunctualMeters build() {
      return new PunctualMeters(this);
    }
  }
}
