package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;

/**
 * The databases on which the same tests run. {@code -Dpunctual.database=MARIADB} runs them only on
 * MariaDB.
 */
enum TestDatabase {
  POSTGRESQL,
  MARIADB;

  private static final String CHOSEN = System.getProperty("punctual.database", "");

  /**
   * Returns an empty database on a server that other test classes use, too, or skips the test if
   * the program of the database is not installed.
   */
  TestServer shared() {
    assumeChosen();
    return this == POSTGRESQL ? PostgresServer.shared() : MariaDbServer.shared();
  }

  private void assumeChosen() {
    assumeTrue(
        CHOSEN.isEmpty() || CHOSEN.equals(name()), "-Dpunctual.database chooses another database");
  }

  /** Starts a server of the database, or skips the test if its program is not installed. */
  TestServer start() {
    assumeChosen();
    return this == POSTGRESQL ? PostgresServer.start() : MariaDbServer.start();
  }
}
