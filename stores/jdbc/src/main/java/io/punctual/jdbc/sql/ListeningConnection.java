package io.punctual.jdbc.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives notifications by methods of the PostgreSQL driver that JDBC does not have. Calls these
 * methods by reflection, so that the store does not depend on the driver. For a single thread.
 */
final class ListeningConnection {
  private final Object connection;
  private final Method getNotifications;
  private final Method getParameter;

  private ListeningConnection(Object connection, Method getNotifications, Method getParameter) {
    this.connection = connection;
    this.getNotifications = getNotifications;
    this.getParameter = getParameter;
  }

  /**
   * Unwraps the driver's connection from a connection of a pool.
   *
   * @throws SQLFeatureNotSupportedException if the driver is not {@code org.postgresql:postgresql}
   */
  static ListeningConnection of(Connection connection) throws SQLException {
    try {
      Class<?> type = Class.forName("org.postgresql.PGConnection");
      return new ListeningConnection(
          connection.unwrap(type),
          type.getMethod("getNotifications", int.class),
          Class.forName("org.postgresql.PGNotification").getMethod("getParameter"));
    } catch (ReflectiveOperationException e) {
      throw new SQLFeatureNotSupportedException("The driver has no notifications", e);
    }
  }

  /**
   * Waits for notifications, and returns their payloads as soon as the first arrives. The result is
   * empty after {@code millis} without a notification. {@code millis} must be at least 1.
   */
  List<String> await(int millis) throws SQLException {
    List<String> payloads = new ArrayList<>();
    Object @Nullable [] received = (Object[]) call(getNotifications, connection, millis);
    if (received != null) {
      for (Object one : received) {
        payloads.add(String.valueOf(call(getParameter, one)));
      }
    }
    return payloads;
  }

  private static @Nullable Object call(Method method, Object target, Object... arguments)
      throws SQLException {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof SQLException failure ? failure : new SQLException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new SQLFeatureNotSupportedException("The driver has no notifications", e);
    }
  }
}
