package io.punctual.internal.runtime;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Store;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * The time until the next safety check, as a store asks for it, within bounds: whatever the store
 * answers, the checks neither end nor run in a loop. Thread-safe.
 */
public final class SafetyInterval {
  private static final Logger log = Logs.of(SafetyInterval.class);
  private static final long LEAST = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MOST = TimeUnit.HOURS.toNanos(1);
  private static final long INSTEAD = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private final AtomicBoolean isBad = new AtomicBoolean();

  public SafetyInterval(Store store) {
    this.store = store;
  }

  /** Returns the interval in nanoseconds, between 1 ms and 1 h; 1 s if the store gives none. */
  public long nanos(int partitions) {
    Object problem;
    try {
      long nanos = store.safetyCheckInterval(partitions).toNanos();
      if (nanos >= LEAST && nanos <= MOST) {
        return nanos;
      }
      problem = nanos + " ns";
    } catch (RuntimeException | Error e) {
      problem = e;
    }
    if (isBad.compareAndSet(false, true)) {
      log.warn(
          "The store of {} gives no usable interval of safety checks, 1 s is used instead: {}",
          store.getClass().getName(),
          problem.toString());
    }
    return INSTEAD;
  }
}
