package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;

/**
 * The settings that a connection had when the store received it from the pool. The store restores
 * them before it closes the connection, because some pools do not. For a single thread.
 */
public final class ConnectionSettings {
  /** The network timeout in milliseconds of transactions on connections that have none. */
  public static final int TIMEOUT_MILLIS = 30_000;

  private static final Logger log = Logs.of(ConnectionSettings.class);

  private final Connection connection;
  private final boolean autoCommit;
  private final int timeoutMillis;

  private ConnectionSettings(Connection connection) throws SQLException {
    this.connection = connection;
    autoCommit = connection.getAutoCommit();
    timeoutMillis = connection.getNetworkTimeout();
  }

  /**
   * Changes the settings of a connection. If that fails, restores the settings and throws.
   *
   * @param timeoutMillis the network timeout to set if the connection has none
   */
  public static ConnectionSettings change(
      Connection connection, boolean autoCommit, int timeoutMillis) throws SQLException {
    ConnectionSettings before = new ConnectionSettings(connection);
    boolean changed = false;
    try {
      if (before.timeoutMillis == 0) {
        connection.setNetworkTimeout(Runnable::run, timeoutMillis);
      }
      if (before.autoCommit != autoCommit) {
        connection.setAutoCommit(autoCommit);
      }
      changed = true;
      return before;
    } finally {
      if (!changed) {
        before.restore();
      }
    }
  }

  /**
   * Restores the settings. Must be called outside of a transaction. Ignores failures, because the
   * pool replaces a broken connection.
   */
  public void restore() {
    try {
      if (connection.getAutoCommit() != autoCommit) {
        connection.setAutoCommit(autoCommit);
      }
      if (timeoutMillis == 0) {
        connection.setNetworkTimeout(Runnable::run, 0);
      }
    } catch (SQLException | RuntimeException e) {
      log.debug("A connection could not be reset; the pool replaces it", e);
    }
  }
}
