package io.punctual.migration.sql;

/** Runs {@link QuartzImportTest} on PostgreSQL. */
final class QuartzImportPostgresTest extends QuartzImportTest {
  @Override
  TestDatabase database() throws Exception {
    TestDatabase created = TestDatabase.ofPostgres();
    created.execute(schema("tables_postgres.sql"));
    return created;
  }

  @Override
  String delegate() {
    return "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate";
  }
}
