package io.punctual.migration.sql;

import io.punctual.PunctualException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Due times of rows, in milliseconds since 1970. Immutable.
 *
 * @param zone the time zone of columns without a zone, or null if it is unknown
 */
record DueMillis(@Nullable ZoneId zone) {
  /**
   * A due time.
   *
   * @param millis the due time in milliseconds since 1970, rounded up; 0 if there is a problem
   * @param problem why the due time is unknown, or null if it is known
   */
  record Due(long millis, @Nullable String problem) {}

  private static Due due(Instant instant) {
    return new Due(of(instant), null);
  }

  private static Due unknown(String problem) {
    return new Due(0, problem);
  }

  /**
   * Returns the time in a column. In the zone of this JVM, the driver may store the time in a
   * different zone, if its options say so; db-scheduler relies on the driver then.
   *
   * @throws PunctualException if the type of the column has no time zone, and the zone is unknown
   */
  Due of(ResultSet row, int column) throws SQLException {
    if (hasZone(row, column)) {
      return due(row.getObject(column, OffsetDateTime.class).toInstant());
    }
    boolean isConverted = isConvertedByDriver(row, column);
    if (zone == null && isConverted) {
      return unknown(
          "Its execution time may be stored in UTC or in the time zone of the application, and the"
              + " database does not tell which: name the zone, UTC if db-scheduler has"
              + " alwaysPersistTimestampInUTC (--zone, or the setter zone)");
    } else if (zone == null) {
      throw new PunctualException(
          "The column "
              + row.getMetaData().getColumnName(column)
              + " has no time zone, so its times can mean different instants; name the zone in"
              + " which the application writes them (--zone, or the setter zone)",
          null);
    }
    LocalDateTime time = row.getObject(column, LocalDateTime.class);
    if (isConverted && zone.equals(ZoneId.systemDefault())) {
      Instant converted = row.getTimestamp(column).toInstant();
      if (offsets(time, zone).stream().map(time::toInstant).noneMatch(converted::equals)) {
        return due(converted);
      }
    }
    return local(time, zone);
  }

  /** Returns the offsets of a local time, or those around it if it does not exist. */
  private static List<ZoneOffset> offsets(LocalDateTime time, ZoneId zone) {
    ZoneOffsetTransition transition = zone.getRules().getTransition(time);
    return transition == null
        ? zone.getRules().getValidOffsets(time)
        : List.of(transition.getOffsetBefore(), transition.getOffsetAfter());
  }

  /** Returns an instant for a local time that occurs once. */
  private static Due local(LocalDateTime time, ZoneId zone) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
    if (offsets.size() == 1) {
      return due(time.toInstant(offsets.get(0)));
    }
    return unknown(
        "Its execution time "
            + time
            + (offsets.isEmpty() ? " does not exist in " : " occurs twice in ")
            + zone
            + ", because of daylight saving time. Schedule it in the queue by hand, and delete it"
            + " from db-scheduler");
  }

  private static String typeName(ResultSet row, int column) throws SQLException {
    return row.getMetaData().getColumnTypeName(column).toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether a column has a time zone. The driver of PostgreSQL shows this only in the name
   * of the type.
   */
  private static boolean hasZone(ResultSet row, int column) throws SQLException {
    String type = typeName(row, column);
    return row.getMetaData().getColumnType(column) == Types.TIMESTAMP_WITH_TIMEZONE
        || type.equals("timestamptz")
        || type.contains("with time zone")
        || type.contains("with local time zone")
        || type.equals("datetimeoffset");
  }

  /**
   * Returns whether a column is a TIMESTAMP of MySQL or MariaDB. The column has a time zone, but
   * the drivers write local times: of the JVM, or of UTC if db-scheduler asks for it.
   */
  private static boolean isConvertedByDriver(ResultSet row, int column) throws SQLException {
    String driver = row.getStatement().getConnection().getMetaData().getDriverName();
    return typeName(row, column).equals("timestamp")
        && driver.toLowerCase(Locale.ROOT).matches(".*(mysql|mariadb).*");
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
