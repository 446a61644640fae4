package io.punctual.cron;

import io.punctual.spi.RecurrenceProvider;
import io.punctual.spi.Timetable;
import java.time.DateTimeException;
import java.time.ZoneId;

/**
 * Implements the recurrences of {@link Cron}. The expression of a recurrence is the id of a time
 * zone, a space and a cron expression. Stateless.
 */
public final class CronProvider implements RecurrenceProvider {
  /** Creates the provider, for {@link java.util.ServiceLoader}. */
  public CronProvider() {}

  @Override
  public String kind() {
    return Cron.KIND;
  }

  @Override
  public Timetable timetable(String expression) {
    int space = expression.indexOf(' ');
    if (space < 0) {
      throw new IllegalArgumentException(
          "A time zone and a cron expression are needed, such as 'Europe/Berlin 0 9 * * MON-FRI'");
    }
    CronFields fields = CronFields.parse(expression.substring(space + 1));
    return new CronTimetable(fields, zone(expression.substring(0, space)).getRules());
  }

  private static ZoneId zone(String id) {
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "This JVM has no time zone '" + id + "'; correct the name, or update the JVM", e);
    }
  }
}
