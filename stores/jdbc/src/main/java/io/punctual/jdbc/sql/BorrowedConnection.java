package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * A connection that the store has borrowed from a data source, with the settings that transactions
 * of the store need: autocommit off and the isolation READ COMMITTED. The settings are changed
 * once, and restored before the connection returns to the data source, because some pools do not
 * restore them. For a single thread at a time.
 */
final class BorrowedConnection {
  private static final Logger log = Logs.of(BorrowedConnection.class);

  /** A connection that was used this recently is not tested before its next use. */
  private static final long UNTESTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final int TEST_SECONDS = 5;

  private final Connection connection;
  private final Connection adapted;
  private final ConnectionSettings before;
  private final boolean wasReadOnly;
  private final SessionSettings session;
  private final int isolation;
  private final long borrowedNanos = System.nanoTime();
  private long usedNanos = borrowedNanos;

  private BorrowedConnection(
      Connection connection,
      Connection adapted,
      ConnectionSettings before,
      boolean wasReadOnly,
      SessionSettings session,
      int isolation) {
    this.connection = connection;
    this.adapted = adapted;
    this.before = before;
    this.wasReadOnly = wasReadOnly;
    this.session = session;
    this.isolation = isolation;
  }

  /** Changes the settings of a connection. If that fails, the caller must discard it. */
  static BorrowedConnection of(Connection connection, Dialect dialect) throws SQLException {
    ConnectionSettings before =
        ConnectionSettings.change(connection, true, ConnectionSettings.TIMEOUT_MILLIS);
    boolean wasReadOnly = connection.isReadOnly();
    if (wasReadOnly) {
      connection.setReadOnly(false);
    }
    SessionSettings session = dialect.session(connection);
    execute(connection, session.change());
    int isolation = Connection.TRANSACTION_READ_COMMITTED;
    if (!dialect.setsIsolationOfTransactions()) {
      isolation = connection.getTransactionIsolation();
      setIsolation(connection, isolation, Connection.TRANSACTION_READ_COMMITTED);
    }
    connection.setAutoCommit(false);
    return new BorrowedConnection(
        connection, dialect.adapted(connection), before, wasReadOnly, session, isolation);
  }

  private static void setIsolation(Connection connection, int from, int to) throws SQLException {
    if (from != to) {
      connection.setTransactionIsolation(to);
    }
  }

  private static void execute(Connection connection, List<String> commands) throws SQLException {
    if (!commands.isEmpty()) {
      try (Statement statement = connection.createStatement()) {
        for (String command : commands) {
          statement.execute(command);
        }
      }
    }
  }

  /** The connection of the data source. */
  Connection connection() {
    return connection;
  }

  Connection statements() {
    return adapted;
  }

  /** The database and the schema in which the connection finds the tables. */
  String place() {
    return session.place();
  }

  boolean isReadOnly() {
    return session.isReadOnly();
  }

  /** Executes the statements at the begin of a transaction. */
  void begin() throws SQLException {
    if (!session.begin().isEmpty()) {
      execute(connection, List.of(session.begin()));
    }
  }

  /** Notes that the connection has just ended a transaction. */
  void used() {
    usedNanos = System.nanoTime();
  }

  /** The time since its last transaction, in nanoseconds. */
  long idleNanos() {
    return System.nanoTime() - usedNanos;
  }

  /** The time since it was borrowed, in nanoseconds. */
  long ageNanos() {
    return System.nanoTime() - borrowedNanos;
  }

  /** Returns whether the connection works. Asks the database if it was not used recently. */
  boolean works() {
    if (idleNanos() < UNTESTED_NANOS) {
      return true;
    }
    try {
      if (!connection.isValid(TEST_SECONDS)) {
        return false;
      }
      connection.rollback();
      return true;
    } catch (SQLException | RuntimeException | Error e) { // the caller has to give it back
      log.debug("A connection does not work any more", e);
      return false;
    }
  }

  /**
   * Restores the settings. Must be called outside of a transaction.
   *
   * @throws SQLException if the connection must not be used any more
   */
  void restore() throws SQLException {
    connection.setAutoCommit(true);
    execute(connection, session.restore());
    setIsolation(connection, Connection.TRANSACTION_READ_COMMITTED, isolation);
    if (wasReadOnly) {
      connection.setReadOnly(true);
    }
    before.restore();
  }
}
