package io.punctual.spi;

import java.time.Instant;
import java.util.Optional;

/**
 * Computes the occurrences of a recurrence. Different processes must get the same results, so a
 * timetable depends on its arguments only. Must not block. Safe for use by many threads.
 */
@FunctionalInterface
public interface Timetable {
  /**
   * Returns the first occurrence after {@code after} in the rhythm to which {@code occurrence}
   * belongs, or empty if none follows.
   *
   * @param occurrence an occurrence; {@code reschedule} can have moved it to any instant
   * @param after {@code occurrence} or later
   */
  Optional<Instant> next(Instant occurrence, Instant after);

  /**
   * Returns the first occurrence of a message that is scheduled now without a due time, or empty if
   * the message is due at once; empty by default.
   *
   * @throws IllegalArgumentException if there is no occurrence from now on
   */
  default Optional<Instant> first(Instant now) {
    return Optional.empty();
  }
}
