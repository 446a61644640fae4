package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.contract.UserTransaction;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Runs the contract of stores on PostgreSQL, with the option of the driver that hides the counts of
 * batches.
 */
final class PostgresStoreContractTest extends StoreContract {
  private TestServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  /** Below the number from which the counts of a queue are kept for a while. */
  @Override
  protected int manyMessages() {
    return 40_000;
  }

  @Override
  protected UserTransaction beginTransaction(Store store) throws SQLException {
    return new JdbcUserTransaction(server.jdbcUrl());
  }

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(
        StoreUrl.parse(server.jdbcUrl() + "&reWriteBatchedInserts=true&createTables=true"));
  }
}
