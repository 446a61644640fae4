package io.punctual.migration.sql;

import org.junit.jupiter.api.BeforeAll;

/** Runs {@link HeldTriggersTest} on PostgreSQL. */
final class HeldTriggersPostgresTest extends HeldTriggersTest {
  /** Skips the class where PostgreSQL is missing, before a test opens anything. */
  @BeforeAll
  static void requireServer() {
    TestDatabase unused = TestDatabase.ofPostgres();
  }

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

  @Override
  int column() {
    return 200;
  }
}
