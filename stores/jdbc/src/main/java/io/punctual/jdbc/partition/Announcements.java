package io.punctual.jdbc.partition;

import io.punctual.spi.Announcement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes the announcements of clients, which list their workers. Stateless, so safe for
 * use by many threads.
 */
public final class Announcements {
  private static final int LONGEST_COUNTED = 20_000;
  private static final int MOST_COUNTED = 64;

  private Announcements() {}

  /**
   * Replaces the announcement of a client, or removes it if the text is empty. Also removes expired
   * announcements.
   *
   * @return the numbers of clients with workers of each queue, if the caller counts them
   */
  public static Map<String, Integer> write(
      StoreParts parts, String client, String text, Duration keep, boolean counts) {
    return parts
        .transactions()
        .run(connection -> write(connection, parts, client, text, keep.toMillis(), counts));
  }

  private static Map<String, Integer> write(
      Connection connection,
      StoreParts parts,
      String client,
      String text,
      long keepMillis,
      boolean counts)
      throws SQLException {
    long now = Math.floorDiv(parts.queues().nowMicros(connection), 1000);
    deleteOver(connection, now);
    if (text.isEmpty()) {
      delete(connection, client);
    } else if (write(
            connection,
            "UPDATE punctual_worker SET text = ?, seen_millis = ?, until_millis = ?"
                + " WHERE client_id = ?",
            client,
            parts.dialect().storedText(text),
            now,
            keepMillis)
        == 0) {
      write(
          connection,
          "INSERT INTO punctual_worker (text, seen_millis, until_millis, client_id)"
              + " VALUES (?, ?, ?, ?)",
          client,
          parts.dialect().storedText(text),
          now,
          keepMillis);
    }
    return counts ? clients(connection, parts, now) : Map.of();
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

  /**
   * Counts the clients with workers of each queue. Reads some announcements only, so that many or
   * long ones do not make it expensive.
   */
  private static Map<String, Integer> clients(Connection connection, StoreParts parts, long now)
      throws SQLException {
    Map<String, Integer> clients = new HashMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT client_id, text FROM punctual_worker WHERE until_millis > ?"
                + " AND length(text) <= ? LIMIT ?")) {
      statement.setLong(1, now);
      statement.setInt(2, LONGEST_COUNTED);
      statement.setInt(3, MOST_COUNTED);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String text = parts.dialect().readText(rows.getString(2));
          for (String queue : new Announcement(rows.getString(1), text, now).queues()) {
            clients.merge(queue, 1, Integer::sum);
          }
        }
      }
    }
    return clients;
  }

  /** Lists the announcements that have not expired. */
  public static List<Announcement> list(StoreParts parts) {
    return parts.transactions().run(connection -> list(connection, parts, "", List.of()));
  }

  /** Lists the announcements of these clients that have not expired. */
  public static List<Announcement> list(StoreParts parts, List<String> clients) {
    if (clients.isEmpty()) {
      return List.of();
    }
    String places = String.join(", ", Collections.nCopies(clients.size(), "?"));
    String condition = " AND client_id IN (" + places + ")";
    return parts.transactions().run(connection -> list(connection, parts, condition, clients));
  }

  private static List<Announcement> list(
      Connection connection, StoreParts parts, String condition, List<String> clients)
      throws SQLException {
    long now = Math.floorDiv(parts.queues().nowMicros(connection), 1000);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT client_id, text, seen_millis FROM punctual_worker WHERE until_millis > ?"
                + condition)) {
      statement.setLong(1, now);
      for (int i = 0; i < clients.size(); i++) {
        statement.setString(i + 2, clients.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        List<Announcement> all = new ArrayList<>();
        while (rows.next()) {
          all.add(
              new Announcement(
                  rows.getString(1), parts.dialect().readText(rows.getString(2)), rows.getLong(3)));
        }
        return all;
      }
    }
  }
}
