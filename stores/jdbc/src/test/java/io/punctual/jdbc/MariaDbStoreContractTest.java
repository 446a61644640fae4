package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.contract.UserTransaction;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Runs the contract of stores on MariaDB. Transactions of the application have the default
 * isolation, REPEATABLE READ.
 */
@Tag("extended")
final class MariaDbStoreContractTest extends StoreContract {
  private TestServer server;

  @BeforeAll
  void startServer() {
    server = MariaDbServer.shared();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  protected int manyMessages() {
    return 20_000;
  }

  @Override
  protected UserTransaction beginTransaction(Store store) throws SQLException {
    return new JdbcUserTransaction(server.jdbcUrl());
  }

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(StoreUrl.parse(server.jdbcUrl() + "&createTables=true"));
  }
}
