package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The number of waiting messages that become due in each of several equal spans of time.
 *
 * @param from the start of the first span, by the store's clock
 * @param width the length of each span
 * @param counts the number of messages of each span, in order of time
 */
public record Forecast(Instant from, Duration width, List<Long> counts) {
  /** Copies {@code counts}. */
  public Forecast {
    counts = List.copyOf(counts);
  }
}
