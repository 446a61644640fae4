package io.punctual.http.survey;

import java.time.Duration;
import java.util.List;

/**
 * Splits a window of time into spans that people read easily. Immutable.
 *
 * @param width the length of each span
 * @param spans the number of spans
 */
record Windows(Duration width, int spans) {
  private static final int MOST = 100;

  private static final List<Duration> WIDTHS =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(15),
          Duration.ofHours(1),
          Duration.ofHours(2));

  static Windows of(Duration window) {
    for (Duration width : WIDTHS) {
      long spans = window.dividedBy(width) + (window.toMillis() % width.toMillis() == 0 ? 0 : 1);
      if (spans <= MOST) {
        return new Windows(width, (int) Math.max(1, spans));
      }
    }
    throw new IllegalArgumentException("Too long: " + window);
  }

  Duration whole() {
    return width.multipliedBy(spans);
  }
}
