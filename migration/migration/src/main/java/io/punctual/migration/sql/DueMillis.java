package io.punctual.migration.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** Due times of rows, in milliseconds since 1970. */
final class DueMillis {
  private DueMillis() {}

  /** Returns the time in a column, rounded up to a millisecond. */
  static long of(ResultSet row, int column) throws SQLException {
    Instant instant;
    try {
      instant = row.getObject(column, OffsetDateTime.class).toInstant();
    } catch (SQLException columnWithoutZone) {
      instant = row.getTimestamp(column).toInstant();
    }
    return of(instant);
  }

  /**
   * Returns an instant, rounded up to a millisecond; a time beyond all dates becomes the largest
   * number.
   */
  static long of(Instant instant) {
    try {
      boolean whole = instant.truncatedTo(ChronoUnit.MILLIS).equals(instant);
      return instant.toEpochMilli() + (whole ? 0 : 1);
    } catch (ArithmeticException e) {
      return instant.getEpochSecond() < 0 ? 0 : Long.MAX_VALUE;
    }
  }
}
