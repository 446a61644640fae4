package io.punctual.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The meters of the messages of a queue. All meters are registered by the constructor, with the
 * value 0, so that {@code rate()} also counts the first message of each outcome. Thread-safe.
 */
final class MessageMeters {
  private static final Duration[] LATENESS_OBJECTIVES = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(2),
    Duration.ofMinutes(5)
  };

  private final Timer firstLateness;
  private final Timer retryLateness;
  private final Map<Settled, Counter> settled = new EnumMap<>(Settled.class);
  private final Map<DeadReason, Counter> buried = new EnumMap<>(DeadReason.class);

  /**
   * Registers the meters.
   *
   * @param tags the tags of each meter: the queue, and the tags of the client
   */
  MessageMeters(MeterRegistry registry, Tags tags) {
    firstLateness = lateness(registry, tags, "first");
    retryLateness = lateness(registry, tags, "retry");
    for (Settled outcome : Settled.values()) {
      settled.put(
          outcome,
          Counter.builder("punctual.settled")
              .description("Settled messages, and lost leases")
              .tags(tags)
              .tag("outcome", outcome.tag())
              .register(registry));
    }
    for (DeadReason cause : DeadReason.values()) {
      buried.put(
          cause,
          Counter.builder("punctual.buried")
              .description("Messages that became dead letters")
              .tags(tags)
              .tag("cause", cause.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private static Timer lateness(MeterRegistry registry, Tags tags, String attempt) {
    return Timer.builder("punctual.lateness")
        .description("The time from the due time of a message to its handler")
        .tags(tags)
        .tag("attempt", attempt)
        .serviceLevelObjectives(LATENESS_OBJECTIVES)
        .register(registry);
  }

  void handedOver(int attempt, Duration lateness) {
    (attempt == 1 ? firstLateness : retryLateness).record(lateness.toNanos(), TimeUnit.NANOSECONDS);
  }

  void settled(Settled outcome) {
    Objects.requireNonNull(settled.get(outcome)).increment();
  }

  void buried(DeadReason cause) {
    settled(Settled.BURIED);
    Objects.requireNonNull(buried.get(cause)).increment();
  }
}
