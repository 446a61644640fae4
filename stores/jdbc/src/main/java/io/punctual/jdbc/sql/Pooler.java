package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;

/**
 * Detects a pooler such as PgBouncer between the driver and PostgreSQL. A pooler may use a
 * different connection to the server for each transaction. When the driver connects, a pooler gives
 * it an invented process id, so the process id that the driver knows is not the id of the server's
 * process. Calls the driver by reflection, so that the store does not depend on the driver.
 * Stateless.
 */
public final class Pooler {
  private static final Logger log = Logs.of(Pooler.class);

  private Pooler() {}

  /**
   * Returns whether a pooler is in front of the database; false if the driver does not show it.
   * Logs a warning if there is a pooler and the driver prepares statements, which many poolers do
   * not support.
   */
  public static boolean isInFrontOf(Connection connection) throws SQLException {
    int known;
    int threshold;
    try {
      Class<?> type = Class.forName("org.postgresql.PGConnection");
      Object driver = connection.unwrap(type);
      known = (int) type.getMethod("getBackendPID").invoke(driver);
      threshold = (int) type.getMethod("getPrepareThreshold").invoke(driver);
    } catch (ReflectiveOperationException | SQLException e) {
      log.debug("The driver does not show whether a pooler is in front of the database", unwrap(e));
      return false;
    }
    if (known == serverProcess(connection)) {
      return false;
    }
    if (threshold != 0) {
      log.warn(
          "A pooler is in front of the database, but the driver prepares statements. Unless the"
              + " pooler keeps track of them or pools sessions, set prepareThreshold=0 in the URL");
    }
    return true;
  }

  private static Throwable unwrap(Exception failure) {
    return failure instanceof InvocationTargetException e ? e.getTargetException() : failure;
  }

  private static int serverProcess(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
