package io.punctual.jdbc.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.regex.Pattern;

/**
 * A connection to H2 in the mode of a database that has no LIMIT, such as Oracle. Statements with
 * LIMIT get the clause of the SQL standard instead, which MySQL does not have. Stateless.
 */
final class WithoutLimit {
  private static final Pattern LIMIT = Pattern.compile("\\bLIMIT (\\?|\\d+)");

  private WithoutLimit() {}

  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            WithoutLimit.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                arguments[0] =
                    LIMIT.matcher((String) arguments[0]).replaceAll("FETCH FIRST $1 ROWS ONLY");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }
}
