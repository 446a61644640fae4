package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The statements of claims. Immutable, so safe for use by many threads. */
final class Candidates {
  private static final String SIZE = "octet_length(content) + coalesce(octet_length(history), 0)";
  private static final String COLUMNS =
      "id, due_millis, at_millis, token, attempts, cancelled, state, "
          + SIZE
          + ", CASE WHEN "
          + SIZE
          + " <= "
          + Dialect.SMALL_BYTES
          + " THEN content END, CASE WHEN "
          + SIZE
          + " <= "
          + Dialect.SMALL_BYTES
          + " THEN history END";

  /**
   * Copies the due time of a waiting message from {@code at_millis} to {@code due_millis}, because
   * the statement then sets {@code at_millis} to the end of the lease or to the time of death.
   */
  private static final String KEEP_DUE =
      " due_millis = CASE WHEN state = 0 THEN at_millis ELSE due_millis END";

  private final Dialect dialect;
  private final Messages messages;
  private final InTimeOrder candidates;
  private final InTimeOrder times;

  Candidates(Dialect dialect) {
    this.dialect = dialect;
    messages = new Messages(dialect);
    candidates = new InTimeOrder(dialect, COLUMNS);
    times = new InTimeOrder(dialect, "at_millis");
  }

  /**
   * Locks up to {@code limit} messages in this state after a position, with times up to {@code
   * nowMillis}, in the order of their times. Skips messages that other transactions have locked; on
   * H2, waits for them.
   */
  List<Candidate> lock(
      Connection connection, long queue, int state, Position after, long nowMillis, int limit)
      throws SQLException {
    List<Candidate> locked = new ArrayList<>();
    candidates.read(
        connection,
        queue,
        state,
        after,
        nowMillis,
        limit,
        dialect.lockCandidates(),
        row -> locked.add(read(row)));
    return locked;
  }

  /**
   * Reads the messages with these ids that are leased with a token. With a lock, the statement
   * waits for a transaction that is still leasing the messages. It therefore selects by id alone:
   * PostgreSQL does not wait for a row whose committed state does not match the condition.
   *
   * @param lock the clause that locks the messages, or empty to read without locks
   */
  List<Candidate> leased(
      Connection connection, long queue, Collection<String> ids, long token, String lock)
      throws SQLException {
    List<byte[]> sorted = Messages.sortedBytes(ids);
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIds(sorted.size())
            + " ORDER BY id"
            + lock;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, sorted);
      try (ResultSet found = statement.executeQuery()) {
        List<Candidate> leased = new ArrayList<>();
        while (found.next()) {
          leased.add(read(found));
        }
        leased.removeIf(row -> !row.leased || row.token != token);
        return leased;
      }
    }
  }

  private static Candidate read(ResultSet found) throws SQLException {
    int state = found.getInt(7);
    Candidate candidate =
        new Candidate(
            found.getBytes(1),
            found.getLong(state == 0 ? 3 : 2),
            found.getLong(3),
            state == 1,
            found.getLong(4),
            found.getInt(5),
            found.getBoolean(6),
            found.getLong(8));
    candidate.content = found.getBytes(9);
    byte[] history = found.getBytes(10);
    candidate.history = history == null ? Row.NO_HISTORY : history;
    return candidate;
  }

  /** Reads the contents and histories that were too large to be read with the rows. */
  void readLarge(Connection connection, long queue, List<Candidate> candidates)
      throws SQLException {
    Map<String, Candidate> large = new HashMap<>();
    for (Candidate one : candidates) {
      if (one.content == null) {
        large.put(one.id, one);
      }
    }
    if (large.isEmpty()) {
      return;
    }
    List<byte[]> ids = Messages.sortedBytes(large.keySet());
    String sql =
        "SELECT id, content, history FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIds(ids.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, ids);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          Candidate one = large.get(Messages.text(found.getBytes(1)));
          if (one != null) {
            one.content = found.getBytes(2);
            byte[] history = found.getBytes(3);
            one.history = history == null ? Row.NO_HISTORY : history;
          }
        }
      }
    }
  }

  /**
   * Leases locked messages.
   *
   * @param holder the session of the claim
   */
  void lease(
      Connection connection,
      long queue,
      Collection<String> ids,
      long untilMillis,
      long token,
      String holder)
      throws SQLException {
    List<byte[]> sorted = Messages.sortedBytes(ids);
    String sql =
        "UPDATE punctual_message"
            + dialect.byId()
            + " SET"
            + KEEP_DUE
            + ", at_millis = ?, token = ?, attempts = attempts + 1, cancelled = false,"
            + " state = 1, holder = ? WHERE "
            + dialect.hasIds(sorted.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, untilMillis);
      statement.setLong(2, token);
      statement.setString(3, holder);
      statement.setLong(4, queue);
      dialect.setIds(statement, 5, sorted);
      statement.executeUpdate();
    }
  }

  void remove(Connection connection, long queue, List<Candidate> removed) throws SQLException {
    messages.delete(connection, queue, removed.stream().map(one -> one.key).toList());
  }

  /** Removes locked messages, which an at-most-once claim takes. */
  void removeIds(Connection connection, long queue, Collection<String> ids) throws SQLException {
    messages.delete(connection, queue, Messages.sortedBytes(ids));
  }

  /** Buries locked messages. */
  void bury(Connection connection, long queue, List<Candidate> buried, long nowMillis)
      throws SQLException {
    if (buried.isEmpty()) {
      return;
    }
    String sql =
        "UPDATE punctual_message"
            + dialect.byId()
            + " SET"
            + KEEP_DUE
            + ", at_millis = ?, cancelled = false, state = 2 WHERE "
            + dialect.hasIds(buried.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, nowMillis);
      statement.setLong(2, queue);
      dialect.setIds(statement, 3, buried.stream().map(one -> one.key).toList());
      statement.executeUpdate();
    }
  }

  /**
   * Returns the earliest time of a message in this state after a position; {@link Long#MAX_VALUE}
   * if there is none.
   */
  long earliest(Connection connection, long queue, int state, Position after) throws SQLException {
    List<Long> earliest = new ArrayList<>();
    times.read(
        connection, queue, state, after, Long.MAX_VALUE, 1, row -> earliest.add(row.getLong(1)));
    return earliest.isEmpty() ? Long.MAX_VALUE : earliest.get(0);
  }
}
