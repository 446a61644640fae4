package io.punctual.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.punctual.Delivery;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Worker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records the duration of schedules as {@code punctual.schedule} and of handlers as {@code
 * punctual.process}, without observations. The timers have the names, tags and values that the
 * observations of {@link PunctualObservations} have with a {@code DefaultMeterObservationHandler},
 * at a fraction of the processor time.
 *
 * <pre>{@code
 * Punctual punctual = Punctual.builder()
 *     .url(url)
 *     .interceptor(PunctualTimers.builder(registry).build())
 *     .build();
 * }</pre>
 *
 * <p>Choose {@link PunctualObservations} instead for traces, for other names or tags, or if
 * handlers use the current observation. Do not give both to the same client: if the observations
 * have a meter handler on the same registry, each call counts twice.
 *
 * <p>The names of queues and workers are tags, and so are the simple names of exceptions' classes.
 * The timers stay in the registry, and this object keeps a reference to each timer. Safe for use by
 * many threads.
 */
public final class PunctualTimers implements Interceptor {
  private final MeterRegistry registry;
  private final Tags tags;
  private final boolean hasLongTaskTimers;
  private final Map<String, CallTimers> schedules = new ConcurrentHashMap<>();
  private final Map<Handler, CallTimers> handlers = new ConcurrentHashMap<>();

  private PunctualTimers(Builder builder) {
    this.registry = builder.registry;
    this.tags = builder.tags;
    this.hasLongTaskTimers = builder.hasLongTaskTimers;
  }

  /** The tags of a handler. */
  private record Handler(String queue, String listener) {}

  /** Returns a builder of timers in a registry. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public Around schedule(String queue, String id, Message<?> message, Map<String, String> headers) {
    CallTimers known = schedules.get(queue);
    if (known == null) {
      known = schedules.computeIfAbsent(queue, this::ofSchedules);
    }
    return known.start();
  }

  @Override
  public Around handle(Worker worker, List<? extends Delivery<?>> deliveries) {
    Handler handler = new Handler(worker.queue(), worker.name());
    CallTimers known = handlers.get(handler);
    if (known == null) {
      known = handlers.computeIfAbsent(handler, this::ofHandlers);
    }
    return known.start();
  }

  private CallTimers ofSchedules(String queue) {
    return new CallTimers(
        registry,
        "punctual.schedule",
        "Schedules, until the store confirmed them",
        tags.and("queue", queue),
        hasLongTaskTimers);
  }

  private CallTimers ofHandlers(Handler handler) {
    return new CallTimers(
        registry,
        "punctual.process",
        "Calls of handlers",
        tags.and("queue", handler.queue(), "listener", handler.listener()),
        hasLongTaskTimers);
  }

  /** Builds {@link PunctualTimers}. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private boolean hasLongTaskTimers = true;

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Sets tags for all these timers, to distinguish several clients in one registry. All clients
     * need the same tag keys, because Prometheus refuses meters with the same name and different
     * keys.
     */
    public Builder tags(Iterable<Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * Sets whether running calls have long task timers, {@code punctual.schedule.active} and {@code
     * punctual.process.active}; true by default, as with observations.
     */
    public Builder longTaskTimers(boolean enabled) {
      this.hasLongTaskTimers = enabled;
      return this;
    }

    /** Returns the interceptor. */
    public PunctualTimers build() {
      return new PunctualTimers(this);
    }
  }
}
