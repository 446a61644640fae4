package io.punctual.migration.sql;

import io.punctual.PunctualException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Due times of rows, in milliseconds since 1970. Immutable.
 *
 * @param zone the time zone of columns without a zone, or null if it is unknown
 */
record DueMillis(@Nullable ZoneId zone) {
  /**
   * Returns the time in a column, rounded up to a millisecond.
   *
   * @throws PunctualException if the column has no time zone, and the zone is unknown
   */
  long of(ResultSet row, int column) throws SQLException {
    if (!hasZone(row, column)) {
      return of(local(row, column));
    }
    try {
      return of(row.getObject(column, OffsetDateTime.class).toInstant());
    } catch (SQLException noOffset) {
      return of(row.getTimestamp(column).toInstant());
    }
  }

  /**
   * Returns whether a column has a time zone. The drivers of PostgreSQL, MySQL and MariaDB show
   * this only in the name of the type.
   */
  private static boolean hasZone(ResultSet row, int column) throws SQLException {
    if (row.getMetaData().getColumnType(column) == Types.TIMESTAMP_WITH_TIMEZONE) {
      return true;
    }
    String type = row.getMetaData().getColumnTypeName(column).toLowerCase(Locale.ROOT);
    if (type.equals("timestamp")) {
      String driver = row.getStatement().getConnection().getMetaData().getDriverName();
      return driver.toLowerCase(Locale.ROOT).matches(".*(mysql|mariadb).*");
    }
    return type.equals("timestamptz")
        || type.contains("with time zone")
        || type.contains("with local time zone")
        || type.equals("datetimeoffset");
  }

  /** Of two instants with the same local time, returns the later, so that no message is early. */
  private Instant local(ResultSet row, int column) throws SQLException {
    if (zone == null) {
      throw new PunctualException(
          "The column "
              + row.getMetaData().getColumnName(column)
              + " has no time zone, so its times can mean different instants; name the zone in"
              + " which the application writes them (--zone, or the setter zone)",
          null);
    }
    LocalDateTime time = row.getObject(column, LocalDateTime.class);
    return ZonedDateTime.of(time, zone).withLaterOffsetAtOverlap().toInstant();
  }

  /**
   * Returns an instant in milliseconds, rounded up; an instant that is out of range becomes 0 or
   * the largest number.
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
