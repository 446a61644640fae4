package io.punctual.migration.sql;

import io.punctual.internal.log.UrlHosts;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The database at a {@code jdbc:} URL. Each call opens a connection; {@link Database} keeps it.
 * Immutable.
 *
 * @param url the URL
 */
record UrlSource(String url) implements DataSource {
  UrlSource {
    if (!url.startsWith("jdbc:")) {
      throw new IllegalArgumentException("The URL of a database begins with jdbc:");
    }
    UrlHosts.check(url.substring("jdbc:".length()).split("\\?", 2)[0]);
    try {
      Driver unused = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "No driver for jdbc:"
              + url.split("[^A-Za-z0-9]", 3)[1]
              + ": is on the class path; add the JDBC driver of the database to the dependencies,"
              + " or for the punctual command its jar to PUNCTUAL_CLASSPATH",
          e);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      return DriverManager.getConnection(url);
    } catch (SQLException e) {
      throw withoutOptions(e);
    }
  }

  /**
   * Returns the failure without the options of the URL and without its causes, if the driver has
   * repeated the options, which can have a password.
   */
  private SQLException withoutOptions(SQLException e) {
    String options = url.substring(url.split("[?;]", 2)[0].length());
    String message = String.valueOf(e.getMessage());
    return options.isEmpty() || !message.contains(options)
        ? e
        : new SQLException(message.replace(options, ""), e.getSQLState(), e.getErrorCode());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  @Override
  public PrintWriter getLogWriter() {
    return new PrintWriter(PrintWriter.nullWriter());
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("It has no logger");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("It wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }

  @Override
  public String toString() {
    return "UrlSource";
  }
}
