package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.LimitShare;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.QueueCounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts the messages of many queues by two statements. For a single thread. */
public final class ManyCounts {
  private static final int STATES = 4;
  private static final int WAITING = 0;

  private final Map<Long, String> names = new HashMap<>();
  private final Map<String, Settings> settings = new HashMap<>();
  private final Map<String, long[]> counts = new HashMap<>();
  private final Map<String, long[]> over = new HashMap<>();
  private final Map<String, Long> firstDue = new HashMap<>();
  private long nowMillis;

  private ManyCounts() {}

  private record Settings(boolean paused, PauseNote note, QueueLimits limits) {}

  /**
   * Returns the counts of each queue, in the same order; zeros for a queue that does not exist.
   * Uses the {@link SharedCounts} of large queues if there are any, and keeps the new counts of
   * other large queues.
   *
   * @param present returns the partition of a queue, or null if this client does not use the queue
   * @param created returns the partition of a queue, and creates it if necessary
   */
  public static List<QueueCounts> of(
      List<String> queues,
      StoreParts parts,
      Function<String, @Nullable JdbcPartition> present,
      Function<String, JdbcPartition> created) {
    Map<String, PartitionCounts> known = new HashMap<>();
    Map<String, Long> changes = new HashMap<>();
    for (String queue : queues) {
      JdbcPartition partition = present.apply(queue);
      PartitionCounts kept = partition == null ? null : partition.keptCounts().kept();
      if (kept != null) {
        known.put(queue, kept);
      } else {
        changes.put(queue, partition == null ? 0 : partition.keptCounts().changes());
      }
    }
    if (!changes.isEmpty()) {
      List<String> rest = List.copyOf(changes.keySet());
      long began = System.nanoTime();
      Map<String, PartitionCounts> counted =
          parts.transactions().run(connection -> count(connection, parts, rest));
      long took = System.nanoTime() - began;
      known.putAll(counted);
      counted.forEach(
          (queue, counts) -> {
            if (SharedCounts.total(counts) >= SharedCounts.MANY) {
              boolean unused =
                  created
                      .apply(queue)
                      .keptCounts()
                      .keep(counts, took, changes.getOrDefault(queue, 0L));
            }
          });
    }
    return queues.stream()
        .map(queue -> new QueueCounts(1, Objects.requireNonNull(known.get(queue))))
        .toList();
  }

  private static Map<String, PartitionCounts> count(
      Connection connection, StoreParts parts, List<String> queues) throws SQLException {
    ManyCounts many = new ManyCounts();
    many.readSettings(connection, parts.dialect(), queues);
    if (!many.names.isEmpty()) {
      many.readCounts(connection, List.copyOf(many.names.keySet()));
    }
    return queues.stream().collect(Collectors.toMap(Function.identity(), many::of));
  }

  private void readSettings(Connection connection, Dialect dialect, List<String> queues)
      throws SQLException {
    String sql =
        "SELECT q.name, q.paused, p.note, (SELECT limits FROM punctual_limit WHERE "
            + dialect.limitOf("q.queue_id")
            + "), "
            + dialect.nowMicros()
            + ", q.queue_id"
            + dialect.lookUp()
            + " FROM punctual_queue q"
            + " LEFT JOIN punctual_pause p ON p.queue_id = q.queue_id"
            + " WHERE q.name"
            + Dialect.in(queues.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < queues.size(); i++) {
        statement.setString(i + 1, queues.get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          boolean paused = row.getBoolean(2);
          PauseNote note = paused ? PauseNotes.decode(dialect, row.getString(3)) : PauseNote.NONE;
          settings.put(
              row.getString(1), new Settings(paused, note, LimitShare.parse(row.getString(4))));
          nowMillis = Math.floorDiv(row.getLong(5), 1000);
          names.put(row.getLong(6), row.getString(1));
        }
      }
    }
  }

  /**
   * Selects by the numbers of the queues, which begin the index. With a join, the statement would
   * read the whole index, with the dead rows of queues that are not asked for.
   */
  private void readCounts(Connection connection, List<Long> numbers) throws SQLException {
    String sql =
        "SELECT queue_id, state, count(*),"
            + " coalesce(sum(CASE WHEN at_millis <= ? THEN 1 ELSE 0 END), 0), min(at_millis)"
            + " FROM punctual_message WHERE queue_id"
            + Dialect.in(numbers.size())
            + " GROUP BY queue_id, state";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, nowMillis);
      for (int i = 0; i < numbers.size(); i++) {
        statement.setLong(i + 2, numbers.get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String queue = Objects.requireNonNull(names.get(row.getLong(1)));
          counts.computeIfAbsent(queue, name -> new long[STATES])[row.getInt(2)] = row.getLong(3);
          over.computeIfAbsent(queue, name -> new long[STATES])[row.getInt(2)] = row.getLong(4);
          if (row.getInt(2) == WAITING) {
            firstDue.put(queue, row.getLong(5));
          }
        }
      }
    }
  }

  private PartitionCounts of(String queue) {
    long[] of = counts.getOrDefault(queue, new long[STATES]);
    long[] due = over.getOrDefault(queue, new long[STATES]);
    Settings its =
        settings.getOrDefault(queue, new Settings(false, PauseNote.NONE, QueueLimits.none()));
    return new PartitionCounts(
        of[0] - due[0],
        due[0],
        of[1],
        of[2],
        of[3] - due[3],
        its.paused(),
        its.note(),
        its.limits(),
        PartitionCounts.overdueMillis(due[0], firstDue.getOrDefault(queue, 0L), nowMillis));
  }
}
