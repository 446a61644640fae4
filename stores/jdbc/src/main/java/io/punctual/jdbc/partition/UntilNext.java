package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Work;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Reply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds, for each of many queues, the time until its next message can be claimed. A statement reads
 * up to 256 queues. Stateless.
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
            + String.format(Locale.ROOT, first, 0)
            + ", "
            + String.format(Locale.ROOT, first, 1)
            + ", q.queue_id, limits, full_micros FROM punctual_queue q"
            + " LEFT JOIN punctual_limit l ON l.queue_id = q.queue_id"
            + " WHERE NOT paused AND name IN ("
            + String.join(", ", Collections.nCopies(names.size(), "?"))
            + ")";
    useIndexes(connection, access.dialect());
    List<Limited> limited = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.size(); i++) {
        statement.setString(i + 1, names.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long due = Candidates.time(rows, 3);
          long lease = Candidates.time(rows, 4);
          EngineTime now = new EngineTime(rows.getLong(2));
          if (rows.getString(6) == null) {
            found.put(rows.getString(1), now.until(Math.min(due, lease)));
          } else {
            QueueRow queue =
                new QueueRow(
                    rows.getLong(5),
                    rows.getString(1),
                    false,
                    now.micros(),
                    LimitShare.parse(rows.getString(6)));
            limited.add(new Limited(queue, due, lease, rows.getLong(7)));
          }
        }
      }
    }
    for (Limited one : limited) {
      found.put(one.queue.name(), one.until(connection, access.dialect()));
    }
  }

  /**
   * A queue with limits, its earliest due time, its earliest end of a lease, and the time at which
   * its rate limit has all tokens again.
   */
  private record Limited(QueueRow queue, long dueMillis, long leaseMillis, long fullMicros) {
    long until(Connection connection, Dialect dialect) throws SQLException {
      LimitShare share = LimitShare.of(queue.limits(), 1);
      boolean isFull =
          share.hasConcurrency()
              && QueueLimit.leased(connection, dialect, queue.id()) >= share.concurrency();
      EngineTime now = new EngineTime(queue.nowMicros());
      long until = now.until(isFull ? leaseMillis : Math.min(dueMillis, leaseMillis));
      return Math.max(until, share.untilToken(fullMicros, now.micros()));
    }
  }
}
