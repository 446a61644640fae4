package io.punctual.contract;

import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.time.Duration;

/**
 * Advances the clock of a store under test: directly if the store takes a clock, by waiting
 * otherwise.
 *
 * <p>Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface StoreClock {
  /** Returns once the store's clock has advanced by {@code span} or more. */
  void advance(Duration span);

  /**
   * Returns a clock for stores that use {@code clock}. It advances {@code clock} by exactly the
   * requested span.
   */
  static StoreClock of(ManualClock clock) {
    return clock::advance;
  }

  /**
   * Returns a {@code StoreClock} for a store that takes no clock. Its {@link #advance} waits until
   * the store's own clock has advanced.
   */
  static StoreClock real(Store store) {
    return new ObservedTime(store);
  }
}
