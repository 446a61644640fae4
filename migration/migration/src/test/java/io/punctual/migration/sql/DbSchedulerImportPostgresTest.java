package io.punctual.migration.sql;

import io.punctual.migration.copy.Postgres;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

/** Runs {@link DbSchedulerImportTest} on PostgreSQL. */
final class DbSchedulerImportPostgresTest extends DbSchedulerImportTest {
  private static Postgres server;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = Postgres.shared();
  }

  @Override
  TestDatabase database() throws SQLException {
    TestDatabase created = TestDatabase.of(server);
    created.execute(DbSchedulerTables.POSTGRESQL);
    return created;
  }
}
