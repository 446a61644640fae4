package io.punctual.migration.sql;

import io.punctual.migration.copy.Postgres;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/** Runs {@link QuartzImportTest} on PostgreSQL. */
final class QuartzImportPostgresTest extends QuartzImportTest {
  private static Postgres server;

  @BeforeAll
  static void startServer() throws IOException, InterruptedException {
    server = Postgres.shared();
  }

  @Override
  TestDatabase database() throws Exception {
    TestDatabase created = TestDatabase.of(server);
    created.execute(schema("tables_postgres.sql"));
    return created;
  }

  @Override
  String delegate() {
    return "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate";
  }
}
