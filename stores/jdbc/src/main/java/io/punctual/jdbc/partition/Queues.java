package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.jdbc.sql.ConflictException;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.LimitShare;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the rows of queues. The methods that find a queue return null if it does not
 * exist. Immutable, so safe for use by many threads.
 */
public final class Queues {
  /** A character that sorts after all characters of names. */
  private static final char AFTER_ALL_CHARACTERS = '~';

  private final Dialect dialect;

  public Queues(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Lists the names of all queues, sorted. */
  public List<String> names(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT name FROM punctual_queue");
        ResultSet rows = statement.executeQuery()) {
      List<String> names = new ArrayList<>();
      while (rows.next()) {
        names.add(rows.getString(1));
      }
      Collections.sort(names);
      return names;
    }
  }

  /**
   * Lists the names that begin with a prefix, sorted.
   *
   * @param after the name before the first name of the result, or empty to begin with the first
   *     name
   */
  public static List<String> names(Connection connection, String prefix, String after, int limit)
      throws SQLException {
    String sql =
        "SELECT name FROM punctual_queue WHERE name > ? AND name >= ? AND name < ?"
            + " ORDER BY name LIMIT ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, after);
      statement.setString(2, prefix);
      statement.setString(3, prefix + AFTER_ALL_CHARACTERS);
      statement.setInt(4, limit);
      try (ResultSet rows = statement.executeQuery()) {
        List<String> names = new ArrayList<>();
        while (rows.next()) {
          names.add(rows.getString(1));
        }
        return names;
      }
    }
  }

  /** Finds a queue for look-ups. */
  @Nullable QueueRow find(Connection connection, String name) throws SQLException {
    return find(connection, name, dialect.lookUp(), "");
  }

  /**
   * Finds a queue in a transaction of the application, whose settings stay unchanged.
   *
   * @param mark the condition that is true in the tables that the transaction must see
   * @param keep whether to prevent the deletion of the queue until the end of the transaction
   * @throws OtherTablesException if the transaction sees the tables of a different store
   */
  @Nullable QueueRow findJoined(Connection connection, String name, String mark, boolean keep)
      throws SQLException {
    String sql = select(", " + mark, keep ? dialect.keepQueue() : "");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          OtherTablesException.check(row.getBoolean(5));
          return read(row, name);
        }
      }
    }
    try (PreparedStatement statement = connection.prepareStatement("SELECT " + mark);
        ResultSet row = statement.executeQuery()) {
      row.next();
      OtherTablesException.check(row.getBoolean(1));
      return null;
    }
  }

  /**
   * Finds a queue for a claim.
   *
   * @param relaxed whether the claim may commit without waiting for the disk
   */
  @Nullable QueueRow findForClaim(Connection connection, String name, boolean relaxed)
      throws SQLException {
    String settings = dialect.usesIndexes() + (relaxed ? dialect.relaxedCommit() : "");
    return find(connection, name, settings, dialect.claimQueue());
  }

  /**
   * Finds a queue for a step of a purge.
   *
   * @param lockMillis the lock timeout for the rest of the step, in milliseconds
   */
  @Nullable QueueRow findForPurge(Connection connection, String name, int lockMillis)
      throws SQLException {
    return find(connection, name, settings(lockMillis), dialect.claimQueue());
  }

  /**
   * Finds a queue for a call of a session.
   *
   * @param keep whether to prevent the deletion of the queue until the end of the call
   * @param lockMillis the lock timeout for the rest of the call, in milliseconds
   */
  @Nullable QueueRow findForCall(Connection connection, String name, boolean keep, int lockMillis)
      throws SQLException {
    String lock = keep ? dialect.keepQueue() : "";
    return find(connection, name, settings(lockMillis), lock);
  }

  private String settings(int lockMillis) {
    return dialect.usesIndexes() + dialect.lockTimeout(lockMillis);
  }

  /** Finds a queue, and prevents its deletion until the end of the transaction. */
  @Nullable QueueRow findAndKeep(Connection connection, String name) throws SQLException {
    return find(connection, name, "", dialect.keepQueue());
  }

  private @Nullable QueueRow find(Connection connection, String name, String columns, String lock)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(select(columns, lock))) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? read(row, name) : null;
      }
    }
  }

  private String select(String columns, String lock) {
    return "SELECT queue_id, paused, "
        + dialect.nowMicros()
        + ", (SELECT limits FROM punctual_limit WHERE "
        + dialect.limitOf("q.queue_id")
        + ")"
        + columns
        + " FROM punctual_queue q WHERE name = ?"
        + lock;
  }

  private static QueueRow read(ResultSet row, String name) throws SQLException {
    return new QueueRow(
        row.getLong(1),
        name,
        row.getBoolean(2),
        row.getLong(3),
        LimitShare.parse(row.getString(4)));
  }

  /**
   * Sets the lock timeout for the rest of a transaction of the store, by a separate statement. The
   * statement that looks for the queue sets this timeout only if it finds the queue.
   *
   * @param lockMillis the lock timeout in milliseconds; on H2, MariaDB and MySQL, the timeout of
   *     the connection applies instead
   */
  void boundLockWaits(Connection connection, int lockMillis) throws SQLException {
    String settings = settings(lockMillis);
    if (!settings.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement("SELECT 1" + settings)) {
        boolean unused = statement.execute();
      }
    }
  }

  /**
   * Creates a queue in a transaction of the store, like {@link #create(Connection, String)}.
   *
   * @param lockMillis the lock timeout for the rest of the transaction, in milliseconds. The INSERT
   *     waits if an open transaction has created the queue
   */
  QueueRow create(Connection connection, String name, int lockMillis) throws SQLException {
    boundLockWaits(connection, lockMillis);
    return create(connection, name);
  }

  /**
   * Creates a queue, and prevents its deletion until the end of the transaction. If the queue
   * exists, uses it, or throws a conflict on databases whose INSERT can't skip rows. Leaves the
   * settings of the transaction unchanged.
   */
  QueueRow create(Connection connection, String name) throws SQLException {
    String sql =
        "INSERT INTO punctual_queue (name, paused) VALUES (?, false)" + dialect.unlessPresent();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.executeUpdate();
    }
    QueueRow created = findAndKeep(connection, name);
    if (created == null) {
      throw new ConflictException("The queue was deleted meanwhile");
    }
    return created;
  }

  /** Returns the database's clock, in microseconds from 1970. */
  long nowMicros(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT " + dialect.nowMicros());
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  void pause(Connection connection, QueueRow queue, boolean paused) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE punctual_queue SET paused = ? WHERE queue_id = ?")) {
      statement.setBoolean(1, paused);
      statement.setLong(2, queue.id());
      statement.executeUpdate();
    }
  }

  /**
   * Stores the limits of a queue, or removes them. If the new limits have a rate, tokens that
   * claims have taken stay taken.
   */
  void limit(Connection connection, QueueRow queue, QueueLimits limits) throws SQLException {
    if (limits.equals(queue.limits())) {
      // With some options of the drivers, an UPDATE that changes no value counts no row.
      return;
    }
    if (limits.equals(QueueLimits.none())) {
      deleteLimits(connection, queue);
      return;
    }
    String update =
        "UPDATE punctual_limit SET limits = ?"
            + (limits.hasRate() ? "" : ", full_micros = 0")
            + " WHERE queue_id = ?";
    if (write(connection, update, queue, limits) == 0) {
      write(
          connection,
          "INSERT INTO punctual_limit (limits, queue_id, full_micros) VALUES (?, ?, 0)",
          queue,
          limits);
    }
  }

  private static int write(Connection connection, String sql, QueueRow queue, QueueLimits limits)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, LimitShare.text(limits));
      statement.setLong(2, queue.id());
      return statement.executeUpdate();
    }
  }

  private static void deleteLimits(Connection connection, QueueRow queue) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM punctual_limit WHERE queue_id = ?")) {
      statement.setLong(1, queue.id());
      statement.executeUpdate();
    }
  }

  /**
   * Finds a queue to pause or resume it.
   *
   * @param lockMillis the lock timeout for the rest of the change, in milliseconds
   * @param waits whether to wait if a different transaction has locked the queue; otherwise the
   *     statement fails immediately, except on H2, where it waits
   */
  @Nullable QueueRow findForPause(Connection connection, String name, int lockMillis, boolean waits)
      throws SQLException {
    String lock = waits ? dialect.changeQueue() : dialect.changeQueueAtOnce();
    return find(connection, name, dialect.lockTimeout(lockMillis), lock);
  }

  /**
   * Finds a queue to delete it. Fails immediately if a different transaction has locked the queue,
   * except on H2, where the statement waits.
   *
   * @param lockMillis the lock timeout for the rest of the change, in milliseconds
   */
  @Nullable QueueRow findForDeletion(Connection connection, String name, int lockMillis)
      throws SQLException {
    return find(connection, name, dialect.lockTimeout(lockMillis), dialect.deleteQueueAtOnce());
  }

  void delete(Connection connection, QueueRow queue) throws SQLException {
    deleteLimits(connection, queue);
    PauseNotes.write(connection, dialect, queue, PauseNote.NONE);
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM punctual_queue WHERE queue_id = ?")) {
      statement.setLong(1, queue.id());
      statement.executeUpdate();
    }
  }
}
