package io.punctual.kit.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The engine's clock. A fault may step the clock. While the {@link Engine} repeats earlier changes
 * for a roll-back, the clock shows the original times of these changes.
 */
final class EngineClock implements InstantSource {
  static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

  private final Scheduler scheduler;
  private Duration offset = Duration.ZERO;
  private @Nullable Instant replayed;

  EngineClock(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public Instant instant() {
    return replayed != null ? replayed : BEGIN.plus(offset).plusNanos(scheduler.nanoTime());
  }

  /** Returns the nanoseconds since the simulation began. Steps of the clock do not change them. */
  long nanoTime() {
    return scheduler.nanoTime();
  }

  void step(Duration by) {
    offset = offset.plus(by);
  }

  /** Stops the clock at this time; null lets it continue. */
  void replay(@Nullable Instant time) {
    replayed = time;
  }
}
