package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How many waiting messages come due in each of some equal spans of time.
 *
 * @param from where the first span begins, by the store's clock
 * @param width how long each span is
 * @param counts one number a span, in order of time
 */
public record Forecast(Instant from, Duration width, List<Long> counts) {
  /** Keeps a copy. */
  public Forecast {
    counts = List.copyOf(counts);
  }
}
