package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.LimitShare;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.PauseNoteFormat;
import io.punctual.spi.QueueCounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the messages of many queues by two statements. For one thread. */
public final class ManyCounts {
  private static final int STATES = 4;

  private final Map<String, Settings> settings = new HashMap<>();
  private final Map<String, long[]> counts = new HashMap<>();
  private final Map<String, long[]> over = new HashMap<>();
  private long nowMillis;

  private ManyCounts() {}

  /** The settings of a queue. */
  private record Settings(boolean paused, PauseNote note, QueueLimits limits) {}

  /**
   * Returns the counts of each queue, in the same order; zeros for a queue that does not exist.
   *
   * @param queues the names, at least one
   */
  public static List<QueueCounts> of(Connection connection, Access access, List<String> queues)
      throws SQLException {
    ManyCounts many = new ManyCounts();
    String names =
        " WHERE q.name IN (" + String.join(", ", Collections.nCopies(queues.size(), "?")) + ")";
    many.readSettings(connection, access.dialect(), names, queues);
    many.readCounts(connection, names, queues);
    return queues.stream().map(many::of).toList();
  }

  private void readSettings(
      Connection connection, Dialect dialect, String names, List<String> queues)
      throws SQLException {
    String sql =
        "SELECT q.name, q.paused, p.note, l.limits, "
            + dialect.nowMicros()
            + " FROM punctual_queue q"
            + " LEFT JOIN punctual_pause p ON p.queue_id = q.queue_id"
            + " LEFT JOIN punctual_limit l ON l.queue_id = q.queue_id"
            + names;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, queues);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          boolean paused = row.getBoolean(2);
          PauseNote note = paused ? PauseNoteFormat.decode(row.getString(3)) : PauseNote.NONE;
          settings.put(
              row.getString(1), new Settings(paused, note, LimitShare.parse(row.getString(4))));
          nowMillis = Math.floorDiv(row.getLong(5), 1000);
        }
      }
    }
  }

  private void readCounts(Connection connection, String names, List<String> queues)
      throws SQLException {
    String sql =
        "SELECT q.name, m.state, count(*),"
            + " coalesce(sum(CASE WHEN m.at_millis <= ? THEN 1 ELSE 0 END), 0)"
            + " FROM punctual_queue q JOIN punctual_message m ON m.queue_id = q.queue_id"
            + names
            + " GROUP BY q.name, m.state";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, nowMillis);
      set(statement, 2, queues);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String queue = row.getString(1);
          counts.computeIfAbsent(queue, name -> new long[STATES])[row.getInt(2)] = row.getLong(3);
          over.computeIfAbsent(queue, name -> new long[STATES])[row.getInt(2)] = row.getLong(4);
        }
      }
    }
  }

  private static void set(PreparedStatement statement, int from, List<String> names)
      throws SQLException {
    for (int i = 0; i < names.size(); i++) {
      statement.setString(from + i, names.get(i));
    }
  }

  private QueueCounts of(String queue) {
    long[] of = counts.getOrDefault(queue, new long[STATES]);
    long[] due = over.getOrDefault(queue, new long[STATES]);
    Settings its =
        settings.getOrDefault(queue, new Settings(false, PauseNote.NONE, QueueLimits.none()));
    return new QueueCounts(
        1,
        new PartitionCounts(
            of[0] - due[0],
            due[0],
            of[1],
            of[2],
            of[3] - due[3],
            its.paused(),
            its.note(),
            its.limits()));
  }
}
