package io.punctual.internal.runtime;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * The time until the next safety check, as a store asks for it, within bounds: whatever the store
 * answers, the checks neither end nor run in a loop. Thread-safe.
 */
public final class SafetyInterval {
  private static final Logger log = Logs.of(SafetyInterval.class);
  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration MOST = Duration.ofDays(30);
  private static final Duration INSTEAD = Duration.ofSeconds(1);

  private final Store store;
  private final AtomicBoolean isBad = new AtomicBoolean();

  public SafetyInterval(Store store) {
    this.store = store;
  }

  /** Returns the interval in nanoseconds, between 1 ms and 30 days; 1 s if the store gives none. */
  public long nanos(int partitions) {
    Throwable problem;
    try {
      Duration interval = store.safetyCheckInterval(partitions);
      if (interval.compareTo(Duration.ZERO) > 0) {
        return interval.compareTo(MOST) > 0
            ? MOST.toNanos()
            : Math.max(LEAST.toNanos(), interval.toNanos());
      }
      problem = new IllegalArgumentException("It must be positive, not " + interval);
    } catch (RuntimeException | Error e) {
      problem = e;
    }
    if (isBad.compareAndSet(false, true)) {
      log.warn(
          "{} gives no usable interval of safety checks; 1 s is used instead", name(), problem);
    }
    return INSTEAD.toNanos();
  }

  private String name() {
    try {
      return store.describe();
    } catch (RuntimeException | Error e) {
      return store.getClass().getName();
    }
  }
}
