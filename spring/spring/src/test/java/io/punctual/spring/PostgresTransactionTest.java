package io.punctual.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Runs {@link SqlTransactionTests} on PostgreSQL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostgresTransactionTest extends SqlTransactionTests {
  private EmbeddedPostgres server;

  @BeforeAll
  void startServer() throws IOException {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  void stopServer() throws IOException {
    server.close();
  }

  @Override
  HikariDataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setDataSource(server.getPostgresDatabase());
    return pool;
  }
}
