package io.punctual.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A simple pool that does not reset returned connections. Its new connections have autocommit off
 * and the isolation SERIALIZABLE.
 */
final class ApplicationPool implements DataSource, AutoCloseable {
  private final String url;
  private final List<Connection> all = new CopyOnWriteArrayList<>();
  private final List<Connection> returned = new CopyOnWriteArrayList<>();
  volatile String options = "";
  volatile boolean hidesDriver;
  volatile int failedUnwraps;

  /** Runs before each commit. */
  volatile Callable<?> beforeCommit = () -> null;

  ApplicationPool(String url) {
    this.url = url;
  }

  /** The idle connections, which the store has returned. */
  List<Connection> returned() {
    return returned;
  }

  /** Returns whether a connection to the server listens for notifications. */
  boolean isListening() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                    // Every ten seconds, it tests its connection.
                    + " OR query LIKE 'SELECT current_setting(''transaction_read_only'')%'")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }

  static boolean isListening(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_listening_channels()")) {
      return row.next();
    }
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    Connection connection = returned.isEmpty() ? connect() : returned.remove(0);
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("close")) {
                returned.add(connection);
                return null;
              }
              if (hidesDriver && method.getName().equals("unwrap")) {
                failedUnwraps++;
                throw new SQLException("The pool hides the connection of the driver");
              }
              if (method.getName().equals("commit")) {
                var unused = beforeCommit.call();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url + options);
    all.add(connection);
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    connection.setAutoCommit(false);
    return connection;
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : all) {
      connection.close();
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter writer) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("Wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
