package io.punctual.kit.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Asks whether servers answer. */
final class Connections {
  private static final int SECONDS = 5;

  private Connections() {}

  static boolean canOpen(String jdbcUrl) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
      return connection.isValid(SECONDS);
    }
  }
}
