package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.contract.UserTransaction;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the contract of stores on MySQL, with the driver of MySQL. */
final class MySqlStoreContractTest extends StoreContract {
  private MariaDbServer server;

  @BeforeAll
  void startServer() {
    server = MariaDbServer.startMySql();
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
    return new JdbcUserTransaction(server.mySqlUrl());
  }

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(StoreUrl.parse(server.mySqlUrl() + "&createTables=true"));
  }
}
