package io.punctual.migration.sql;

import java.sql.SQLException;

/** Runs {@link DbSchedulerImportTest} on PostgreSQL. */
final class DbSchedulerImportPostgresTest extends DbSchedulerImportTest {
  @Override
  TestDatabase database() throws SQLException {
    TestDatabase created = TestDatabase.ofPostgres();
    created.execute(DbSchedulerTables.POSTGRESQL);
    return created;
  }
}
