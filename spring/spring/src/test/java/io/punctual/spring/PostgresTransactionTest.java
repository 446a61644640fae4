package io.punctual.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.punctual.kit.database.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostgresTransactionTest extends SqlTransactionTests {
  private PostgresServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.start();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  HikariDataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(server.jdbcUrl());
    return pool;
  }
}
