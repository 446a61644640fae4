package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.Dialect;
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
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Finds, for each of many queues, the time until its next message can be claimed. Two statements
 * read up to 256 queues. For a single thread.
 */
final class UntilNext {
  private static final int STEP = 256;
  private static final String LIMITS = "(SELECT %s FROM punctual_limit WHERE %s), ";

  private final Connection connection;
  private final Dialect dialect;
  private final Map<String, Long> found = new HashMap<>();

  private UntilNext(Connection connection, Dialect dialect) {
    this.connection = connection;
    this.dialect = dialect;
  }

  /**
   * A partition whose next message is asked for.
   *
   * @param due receives the times of messages that can be claimed now
   */
  record Asked(String queue, KnownTimes known, Duty duty, Consumer<Earliest> due) {}

  /** A queue that is not paused, and the time at which its rate limit has all tokens again. */
  private record Found(Asked asked, QueueRow row, long fullMicros) {}

  /**
   * Returns the times in microseconds, in the order of the partitions. Asks only for the partitions
   * for which this client makes the check now; the time of the others is {@link Reply#NONE}.
   */
  static long[] of(List<Asked> partitions, StoreParts parts) {
    List<Asked> asked = partitions.stream().filter(one -> one.duty().isCheckDue()).toList();
    Map<String, Long> found =
        asked.isEmpty()
            ? Map.of()
            : parts
                .transactions()
                .run(connection -> new UntilNext(connection, parts.dialect()).find(asked));
    asked.forEach(one -> one.duty().checked());
    return partitions.stream()
        .mapToLong(one -> found.getOrDefault(one.queue(), Reply.NONE))
        .toArray();
  }

  private Map<String, Long> find(List<Asked> partitions) throws SQLException {
    for (int from = 0; from < partitions.size(); from += STEP) {
      ask(partitions.subList(from, Math.min(from + STEP, partitions.size())));
    }
    return found;
  }

  private void ask(List<Asked> partitions) throws SQLException {
    List<Found> queues = queues(partitions);
    if (queues.isEmpty()) {
      return;
    }
    queues.forEach(one -> one.asked().known().begin());
    try (PreparedStatement statement = connection.prepareStatement(sql(queues.size()))) {
      set(statement, queues);
      try (ResultSet rows = statement.executeQuery()) {
        List<long[]> times = new ArrayList<>();
        while (rows.next()) {
          times.add(new long[] {rows.getLong(1), time(rows, 2), time(rows, 3)});
        }
        for (long[] one : times) {
          note(queues.get((int) one[0] - 1), one[1], one[2]);
        }
      }
    }
  }

  /** Reads the queues that exist and are not paused. */
  private List<Found> queues(List<Asked> partitions) throws SQLException {
    Map<String, Asked> byName =
        partitions.stream().collect(Collectors.toMap(Asked::queue, one -> one, (one, two) -> one));
    String sql =
        "SELECT queue_id, name, "
            + String.format(LIMITS, "limits", dialect.limitOf("q.queue_id"))
            + String.format(LIMITS, "full_micros", dialect.limitOf("q.queue_id"))
            + dialect.nowMicros()
            + dialect.lookUp()
            + " FROM punctual_queue q"
            + " WHERE NOT paused AND name IN ("
            + String.join(", ", Collections.nCopies(byName.size(), "?"))
            + ")";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (String name : byName.keySet()) {
        statement.setString(index++, name);
      }
      List<Found> queues = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(2);
          QueueRow row =
              new QueueRow(
                  rows.getLong(1),
                  name,
                  false,
                  rows.getLong(5),
                  LimitShare.parse(rows.getString(3)));
          Asked asked = byName.get(name);
          if (asked != null) {
            queues.add(new Found(asked, row, rows.getLong(4)));
          }
        }
      }
      return queues;
    }
  }

  /**
   * Returns the statement for the earliest times of many queues. Without arrays, the optimizers use
   * the index only if the queue and the first time are parameters, and not columns.
   */
  private String sql(int queues) {
    if (dialect.returnsIds()) {
      return "SELECT number, "
          + first(0, "b.queue_id", "b.waiting")
          + ", "
          + first(1, "b.queue_id", "b.leased")
          + " FROM unnest(?, ?, ?) WITH ORDINALITY AS b (queue_id, waiting, leased, number)";
    }
    List<String> each = new ArrayList<>();
    for (int number = 1; number <= queues; number++) {
      each.add("SELECT " + number + ", " + first(0, "?", "?") + ", " + first(1, "?", "?"));
    }
    return String.join(" UNION ALL ", each);
  }

  private String first(int state, String queue, String fromMillis) {
    return "(SELECT at_millis FROM punctual_message m"
        + dialect.byTime()
        + " WHERE m.queue_id = "
        + queue
        + " AND m.state = "
        + state
        + " AND m.at_millis >= "
        + fromMillis
        + " ORDER BY m.queue_id, m.state, m.at_millis LIMIT 1)";
  }

  private void set(PreparedStatement statement, List<Found> queues) throws SQLException {
    if (dialect.returnsIds()) {
      Object[] ids = queues.stream().map(one -> one.row().id()).toArray();
      Object[] waiting = queues.stream().map(one -> one.asked().known().waitingFrom()).toArray();
      Object[] leased = queues.stream().map(one -> one.asked().known().leasedFrom()).toArray();
      statement.setArray(1, connection.createArrayOf("int8", ids));
      statement.setArray(2, connection.createArrayOf("int8", waiting));
      statement.setArray(3, connection.createArrayOf("int8", leased));
      return;
    }
    int index = 1;
    for (Found one : queues) {
      statement.setLong(index++, one.row().id());
      statement.setLong(index++, one.asked().known().waitingFrom());
      statement.setLong(index++, one.row().id());
      statement.setLong(index++, one.asked().known().leasedFrom());
    }
  }

  private static long time(ResultSet row, int column) throws SQLException {
    long time = row.getLong(column);
    return row.wasNull() ? Long.MAX_VALUE : time;
  }

  private void note(Found one, long due, long lease) throws SQLException {
    EngineTime now = new EngineTime(one.row().nowMicros());
    one.asked().known().found(due, lease, now.millis());
    LimitShare share = LimitShare.of(one.row().limits(), 1);
    // Counts only where the count can change the time, so idle queues need no statements each.
    boolean isFull =
        share.hasConcurrency()
            && due <= now.millis()
            && due < lease
            && lease < Long.MAX_VALUE
            && QueueLimit.leased(connection, dialect, one.row().id(), lease, share.concurrency())
                >= share.concurrency();
    long first = isFull ? lease : Math.min(due, lease);
    long until = Math.max(now.until(first), share.untilToken(one.fullMicros(), now.micros()));
    if (until == 0) {
      one.asked().due().accept(new Earliest(due, lease));
    }
    found.put(one.row().name(), one.asked().duty().checked(until, first, now));
  }
}
