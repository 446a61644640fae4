package io.punctual.spi;

import io.punctual.Recurrence;
import java.util.ServiceLoader;

/**
 * Implements a kind of {@link Recurrence}; {@link ServiceLoader} finds the provider. Each process
 * that settles recurring messages of this kind needs the provider, and each process that schedules
 * them without a due time. Safe for use by many threads.
 */
public interface RecurrenceProvider {
  /** Returns the kind, for example {@code cron}. */
  String kind();

  /**
   * Returns the timetable of an expression. The client keeps timetables for a while, and may ask
   * for the same expression again.
   *
   * @throws IllegalArgumentException if the expression is not valid; the message names the fault
   */
  Timetable timetable(String expression);
}
