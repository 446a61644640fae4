package io.punctual.jdbc.partition;

import io.punctual.spi.Announcement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes the announcements of clients, which list their workers. Stateless, so safe for
 * use by many threads.
 */
public final class Announcements {
  private Announcements() {}

  /**
   * Replaces the announcement of a client, or removes it if the text is empty. Also removes expired
   * announcements.
   */
  public static void write(
      Connection connection, Access access, String client, String text, long keepMillis)
      throws SQLException {
    long now = Math.floorDiv(access.queues().nowMicros(connection), 1000);
    deleteOver(connection, now);
    if (text.isEmpty()) {
      delete(connection, client);
    } else if (write(
            connection,
            "UPDATE punctual_worker SET text = ?, seen_millis = ?, until_millis = ?"
                + " WHERE client_id = ?",
            client,
            access.dialect().storedText(text),
            now,
            keepMillis)
        == 0) {
      write(
          connection,
          "INSERT INTO punctual_worker (text, seen_millis, until_millis, client_id)"
              + " VALUES (?, ?, ?, ?)",
          client,
          access.dialect().storedText(text),
          now,
          keepMillis);
    }
  }

  private static int write(
      Connection connection, String sql, String client, String text, long now, long keepMillis)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, text);
      statement.setLong(2, now);
      statement.setLong(3, now + keepMillis);
      statement.setString(4, client);
      return statement.executeUpdate();
    }
  }

  private static void delete(Connection connection, String client) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM punctual_worker WHERE client_id = ?")) {
      statement.setString(1, client);
      statement.executeUpdate();
    }
  }

  private static void deleteOver(Connection connection, long now) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM punctual_worker WHERE until_millis <= ?")) {
      statement.setLong(1, now);
      statement.executeUpdate();
    }
  }

  /** Lists the announcements that have not expired. */
  public static List<Announcement> list(Connection connection, Access access) throws SQLException {
    long now = Math.floorDiv(access.queues().nowMicros(connection), 1000);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT client_id, text, seen_millis FROM punctual_worker WHERE until_millis > ?")) {
      statement.setLong(1, now);
      try (ResultSet rows = statement.executeQuery()) {
        List<Announcement> all = new ArrayList<>();
        while (rows.next()) {
          all.add(
              new Announcement(
                  rows.getString(1),
                  access.dialect().readText(rows.getString(2)),
                  rows.getLong(3)));
        }
        return all;
      }
    }
  }
}
