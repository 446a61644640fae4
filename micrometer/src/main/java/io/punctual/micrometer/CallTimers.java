package io.punctual.micrometer;

import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.punctual.Interceptor.Around;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The timers of the schedules of a queue, or of the calls of a worker's handler. A timer is
 * registered at the end of the first call with its outcome and error, as a {@code
 * DefaultMeterObservationHandler} does for observations. Thread-safe.
 */
final class CallTimers implements Around {
  private static final String NO_ERROR = "none";

  private final MeterRegistry registry;
  private final String name;
  private final String description;
  private final Tags tags;
  private final @Nullable LongTaskTimer active;
  private final Map<String, Timer> failures = new ConcurrentHashMap<>();
  private volatile @Nullable Timer success;

  /**
   * Creates the timers, and registers only the long task timer, if there is one.
   *
   * @param tags the tags of each meter, without outcome and error
   * @param hasActive whether running calls have a long task timer
   */
  CallTimers(
      MeterRegistry registry, String name, String description, Tags tags, boolean hasActive) {
    this.registry = registry;
    this.name = name;
    this.description = description;
    this.tags = tags;
    this.active =
        hasActive
            ? LongTaskTimer.builder(name + ".active")
                .tags(tags)
                .tag("outcome", Outcomes.OPEN)
                .register(registry)
            : null;
  }

  /** Starts a call, and returns the receiver of its end. */
  Around start() {
    if (active == null) {
      return this;
    }
    LongTaskTimer.Sample sample = active.start();
    return new Around() {
      @Override
      public void ended(Duration duration, @Nullable Throwable failure) {
        sample.stop();
        CallTimers.this.ended(duration, failure);
      }
    };
  }

  @Override
  public void ended(Duration duration, @Nullable Throwable failure) {
    timer(failure).record(duration);
  }

  private Timer timer(@Nullable Throwable failure) {
    if (failure == null) {
      Timer known = success;
      if (known == null) {
        known = register(null, NO_ERROR);
        success = known;
      }
      return known;
    }
    String error = failure.getClass().getSimpleName();
    Timer known = failures.get(error);
    return known != null ? known : failures.computeIfAbsent(error, key -> register(failure, key));
  }

  private Timer register(@Nullable Throwable failure, String error) {
    return Timer.builder(name)
        .description(description)
        .tags(tags)
        .tag("outcome", Outcomes.of(failure))
        .tag("error", error)
        .register(registry);
  }
}
