package io.punctual.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A data source of a limited number of connections, which is not a pool of HikariCP. */
final class BoundedPool {
  private static final long WAIT_SECONDS = 30;

  private BoundedPool() {}

  /** Returns a data source that lends this many connections of a source at once. */
  static DataSource of(DataSource source, int size) {
    Semaphore free = new Semaphore(size, true);
    return (DataSource)
        Proxy.newProxyInstance(
            BoundedPool.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getConnection" -> lent(source, free);
                  case "isWrapperFor" -> false;
                  default -> throw new SQLException(method.getName());
                });
  }

  private static Connection lent(DataSource source, Semaphore free) throws Exception {
    if (!free.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
      throw new SQLTransientConnectionException("The pool is empty");
    }
    Connection connection = source.getConnection();
    boolean[] isClosed = new boolean[1];
    return (Connection)
        Proxy.newProxyInstance(
            BoundedPool.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("close")) {
                if (!isClosed[0]) {
                  isClosed[0] = true;
                  connection.close();
                  free.release();
                }
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }
}
