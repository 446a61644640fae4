package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The settings of a pool's connections that the store changes for its transactions. Each change
 * costs a round trip, so a pool is faster if its connections have the right settings. Immutable.
 *
 * @param isolation the isolation of the connections, one of the constants in {@link Connection}
 * @param lockWaitSeconds how long a statement waits for a lock, or 0 if the store does not change
 *     the lock timeout of connections
 */
public record PoolSettings(Dialect dialect, int isolation, long lockWaitSeconds) {
  private static final long LOCK_WAIT_SECONDS = 1;

  /** Reads the settings of a pool from one of its connections. */
  public static PoolSettings of(Connection connection, Dialect dialect) throws SQLException {
    return new PoolSettings(
        dialect, connection.getTransactionIsolation(), lockWaitSeconds(connection, dialect));
  }

  private static long lockWaitSeconds(Connection connection, Dialect dialect) throws SQLException {
    String sql = dialect.readLockWait();
    if (sql.isEmpty()) {
      return 0;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Changes the settings for a transaction of the store. */
  void change(Connection connection) throws SQLException {
    if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
      setReadCommitted(connection);
    }
    if (lockWaitSeconds > LOCK_WAIT_SECONDS) {
      execute(connection, dialect.changeLockWait(LOCK_WAIT_SECONDS));
    }
  }

  /**
   * Sets the isolation READ COMMITTED: for a single transaction if the database can do so, or else
   * for the connection.
   */
  private void setReadCommitted(Connection connection) throws SQLException {
    if (dialect.readCommitted().isEmpty()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    } else {
      execute(connection, dialect.readCommitted());
    }
  }

  /** Restores the settings after the transaction. */
  void restore(Connection connection) throws SQLException {
    if (isolation != Connection.TRANSACTION_READ_COMMITTED && dialect.readCommitted().isEmpty()) {
      connection.setTransactionIsolation(isolation);
    }
    if (lockWaitSeconds > LOCK_WAIT_SECONDS) {
      execute(connection, dialect.changeLockWait(lockWaitSeconds));
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
