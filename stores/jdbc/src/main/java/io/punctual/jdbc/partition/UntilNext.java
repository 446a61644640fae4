package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Work;
import io.punctual.spi.Reply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the time until the next message of many queues, with a statement for each 256 queues.
 * Stateless.
 */
final class UntilNext {
  private static final int STEP = 256;

  private UntilNext() {}

  static Work<long[]> of(List<String> names, Access access) {
    return connection -> {
      Map<String, Long> found = new HashMap<>();
      for (int from = 0; from < names.size(); from += STEP) {
        ask(connection, names.subList(from, Math.min(from + STEP, names.size())), access, found);
      }
      return names.stream().mapToLong(name -> found.getOrDefault(name, Reply.NONE)).toArray();
    };
  }

  private static void useIndexes(Connection connection, Dialect dialect) throws SQLException {
    if (!dialect.usesIndexes().isEmpty()) {
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT 1" + dialect.usesIndexes())) {
        statement.executeQuery().close();
      }
    }
  }

  private static void ask(
      Connection connection, List<String> names, Access access, Map<String, Long> found)
      throws SQLException {
    String first =
        "(SELECT at_millis FROM punctual_message m"
            + access.dialect().byTime()
            + " WHERE m.queue_id = q.queue_id AND state = %d"
            + " ORDER BY at_millis LIMIT 1)";
    String sql =
        "SELECT name, "
            + access.dialect().nowMicros()
            + ", "
            + first.formatted(0)
            + ", "
            + first.formatted(1)
            + " FROM punctual_queue q WHERE NOT paused AND name IN ("
            + String.join(", ", Collections.nCopies(names.size(), "?"))
            + ")";
    useIndexes(connection, access.dialect());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.size(); i++) {
        statement.setString(i + 1, names.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long earliest = Math.min(Candidates.time(rows, 3), Candidates.time(rows, 4));
          found.put(rows.getString(1), new EngineTime(rows.getLong(2)).until(earliest));
        }
      }
    }
  }
}
