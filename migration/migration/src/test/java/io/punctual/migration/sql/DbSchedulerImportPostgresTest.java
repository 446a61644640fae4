package io.punctual.migration.sql;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

/** Runs {@link DbSchedulerImportTest} on PostgreSQL. */
final class DbSchedulerImportPostgresTest extends DbSchedulerImportTest {
  /** Skips the class where PostgreSQL is missing, before a test opens anything. */
  @BeforeAll
  static void requireServer() {
    TestDatabase unused = TestDatabase.ofPostgres();
  }

  @Override
  TestDatabase database() throws SQLException {
    TestDatabase created = TestDatabase.ofPostgres();
    created.execute(DbSchedulerTables.POSTGRESQL);
    return created;
  }
}
