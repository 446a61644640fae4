package io.punctual.contract;

import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.time.Duration;

/**
 * How a test makes a store's clock move on: by hand where the store takes a clock, by waiting where
 * it has its own.
 *
 * <p>Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface EngineTime {
  /** Returns once the store's clock has moved on by {@code span} or more. */
  void advance(Duration span);

  /** Returns the time of stores whose clock is this one; it moves on exactly as far as asked. */
  static EngineTime of(ManualClock clock) {
    return clock::advance;
  }

  /** Returns the time of a store with a clock of its own: waits until that has moved on. */
  static EngineTime real(Store store) {
    return new ObservedTime(store);
  }
}
