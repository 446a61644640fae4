package io.punctual.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.punctual.Delivery;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observes schedules as {@code punctual.schedule} and handlers as {@code punctual.process}. The
 * observation handlers of the registry turn observations into timers and traces.
 *
 * <pre>{@code
 * ObservationRegistry observations = ObservationRegistry.create();
 * observations.observationConfig()
 *     .observationHandler(new DefaultMeterObservationHandler(meterRegistry));
 * Punctual punctual = Punctual.builder()
 *     .url(url)
 *     .interceptor(PunctualObservations.builder(observations).build())
 *     .build();
 * }</pre>
 *
 * <p>An observation of a schedule ends when the store has confirmed the message or the schedule has
 * failed. A tracing handler of the registry writes the trace into the headers of the message. An
 * observation of a handler is in scope on the handler's thread, and ends with the handler, or with
 * the stage of an asynchronous handler. Safe for use by many threads.
 *
 * <p>An observation costs about ten times the processor time of its timer. If only timers are
 * needed, use {@link PunctualTimers} instead.
 */
public final class PunctualObservations implements Interceptor {
  private final ObservationRegistry registry;
  private final @Nullable ScheduleConvention scheduleConvention;
  private final @Nullable ProcessConvention processConvention;
  private final Propagation propagation;

  private PunctualObservations(Builder builder) {
    this.registry = builder.registry;
    this.scheduleConvention = builder.scheduleConvention;
    this.processConvention = builder.processConvention;
    this.propagation = builder.propagation;
  }

  /** Returns a builder of observations in a registry. */
  public static Builder builder(ObservationRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public Around schedule(String queue, String id, Message<?> message, Map<String, String> headers) {
    if (registry.isNoop()) {
      return Around.NOTHING;
    }
    ScheduleContext context = new ScheduleContext(queue, id, headers);
    Observation observation =
        Observation.createNotStarted(
                scheduleConvention, ScheduleConvention.DEFAULT, () -> context, registry)
            .start();
    return new Around() {
      @Override
      public void ended(Duration duration, @Nullable Throwable failure) {
        context.ended(Outcomes.of(failure));
        stop(observation, failure);
      }
    };
  }

  @Override
  public Around handle(Worker worker, List<? extends Delivery<?>> deliveries) {
    if (registry.isNoop()) {
      return Around.NOTHING;
    }
    ProcessContext context = new ProcessContext(worker, deliveries, propagation);
    Observation observation =
        Observation.createNotStarted(
                processConvention, ProcessConvention.DEFAULT, () -> context, registry)
            .start();
    Observation.Scope scope = observation.openScope();
    return new Around() {
      @Override
      public void returned() {
        scope.close();
      }

      @Override
      public void ended(Duration duration, @Nullable Throwable failure) {
        context.ended(Outcomes.of(failure));
        stop(observation, failure);
      }
    };
  }

  private static void stop(Observation observation, @Nullable Throwable failure) {
    if (failure != null) {
      observation.error(failure);
    }
    observation.stop();
  }

  /** Builds {@link PunctualObservations}. Not thread-safe. */
  public static final class Builder {
    private final ObservationRegistry registry;
    private @Nullable ScheduleConvention scheduleConvention;
    private @Nullable ProcessConvention processConvention;
    private Propagation propagation = Propagation.LINK;

    private Builder(ObservationRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Sets the names and tags of schedules; {@link ScheduleConvention#DEFAULT} by default. */
    public Builder scheduleConvention(ScheduleConvention convention) {
      this.scheduleConvention = Objects.requireNonNull(convention, "convention");
      return this;
    }

    /** Sets the names and tags of handlers; {@link ProcessConvention#DEFAULT} by default. */
    public Builder processConvention(ProcessConvention convention) {
      this.processConvention = Objects.requireNonNull(convention, "convention");
      return this;
    }

    /**
     * Sets how the trace of a handler relates to the trace of the schedule; {@link
     * Propagation#LINK} by default.
     */
    public Builder propagation(Propagation propagation) {
      this.propagation = Objects.requireNonNull(propagation, "propagation");
      return this;
    }

    /** Returns the interceptor. */
    public PunctualObservations build() {
      return new PunctualObservations(this);
    }
  }
}
