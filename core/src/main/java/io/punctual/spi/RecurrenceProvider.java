package io.punctual.spi;

import io.punctual.Recurrence;
import java.util.ServiceLoader;

/**
 * Implements a kind of {@link Recurrence}; {@link ServiceLoader} finds the provider. Each process
 * with workers for recurring messages of this kind needs the provider. Safe for use by many
 * threads.
 */
public interface RecurrenceProvider {
  /** Returns the kind, for example {@code cron}. */
  String kind();

  /**
   * Returns the timetable of an expression. The client keeps the timetable, and asks again for
   * expressions that it has not seen for a while.
   *
   * @throws IllegalArgumentException if the expression is not valid; the message names the fault
   */
  Timetable timetable(String expression);
}
