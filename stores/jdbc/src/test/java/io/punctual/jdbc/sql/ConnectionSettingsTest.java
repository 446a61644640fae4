package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

final class ConnectionSettingsTest {
  @Test
  void change_timeoutFails_connectionKeepsItsAutocommit() throws Exception {
    try (Connection real = DriverManager.getConnection("jdbc:h2:mem:")) {
      Connection broken = withoutNetworkTimeout(real);
      assertThatThrownBy(() -> ConnectionSettings.change(broken, false, 1000))
          .isInstanceOf(SQLException.class);
      assertThat(real.getAutoCommit()).isTrue();
    }
  }

  private static Connection withoutNetworkTimeout(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            ConnectionSettingsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("setNetworkTimeout")) {
                throw new SQLException("The driver has no time-outs", "0A000");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
