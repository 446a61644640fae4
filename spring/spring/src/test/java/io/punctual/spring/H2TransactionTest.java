package io.punctual.spring;

import com.zaxxer.hikari.HikariDataSource;
import java.util.UUID;

final class H2TransactionTest extends SqlTransactionTests {
  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  @Override
  HikariDataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    return pool;
  }
}
