package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.contract.UserTransaction;
import io.punctual.kit.database.PgBouncerServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract of stores on PostgreSQL behind PgBouncer in transaction mode. */
@Tag("faults")
final class PgBouncerContractTest extends StoreContract {
  private PostgresServer server;
  private PgBouncerServer pooler;

  @BeforeAll
  void startServers() {
    server = PostgresServer.start();
    pooler = PgBouncerServer.inFrontOf(server, 20);
  }

  @AfterAll
  void stopServers() {
    if (pooler != null) {
      pooler.close();
    }
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
    return new JdbcUserTransaction(pooler.jdbcUrl());
  }

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(StoreUrl.parse(pooler.jdbcUrl() + "&createTables=true"));
  }
}
