package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a caller receives the first failure of a connection, and not the failure of a rollback
 * or a restored setting that follows it.
 */
final class CleanUpTest {
  private Connection real;
  private String lastStatement = "nothing";
  private boolean isBroken;

  @BeforeEach
  void connect() throws SQLException {
    real = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID());
  }

  @AfterEach
  void disconnect() throws SQLException {
    real.close();
  }

  /** Returns a connection that breaks at {@link #lastStatement}. */
  private Connection breaking() {
    return proxy(Connection.class, real);
  }

  private <T> T proxy(Class<T> type, Object target) {
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (isBroken) {
                throw new SQLException("it was broken before", "08003");
              }
              if (arguments != null
                  && arguments[0] instanceof String sql
                  && sql.contains(lastStatement)) {
                isBroken = true;
                throw new SQLException("it breaks", "08006");
              }
              try {
                Object result = method.invoke(target, arguments);
                return method.getName().equals("createStatement")
                    ? proxy(Statement.class, result)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  private static void assertFirstFailure(Throwable thrown) {
    assertThat(thrown).isInstanceOf(SQLException.class).hasMessage("it breaks");
    assertThat(thrown.getSuppressed()).isNotEmpty();
  }

  @Test
  void deleteForgotten_connectionBreaks_throwsTheFirstFailure() throws SQLException {
    Dialect dialect = Dialect.of(real);
    Schema.prepare(real, dialect, true);
    lastStatement = "DELETE FROM punctual_call WHERE at_millis";
    Connection breaking = breaking();
    assertFirstFailure(catchThrowable(() -> new CallMarkers(dialect).deleteForgotten(breaking)));
  }

  @Test
  void prepare_connectionBreaksInAScript_throwsTheFirstFailure() throws SQLException {
    Dialect dialect = Dialect.of(real);
    lastStatement = "EXISTS punctual_message";
    Connection breaking = breaking();
    assertFirstFailure(catchThrowable(() -> Schema.prepare(breaking, dialect, true)));
  }
}
