package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The databases on which the same tests run, each on a server of its own. {@code
 * -Dpunctual.database=MARIADB} skips the tests on the other databases.
 */
enum TestDatabase {
  POSTGRESQL,
  MARIADB;

  private static final String CHOSEN = System.getProperty("punctual.database", "");

  /** Starts a server, or skips the test and names the missing program. */
  TestServer start() {
    assumeTrue(
        CHOSEN.isEmpty() || CHOSEN.equals(name()), "-Dpunctual.database chooses another database");
    return this == POSTGRESQL ? PostgresServer.start() : MariaDbServer.start();
  }
}
