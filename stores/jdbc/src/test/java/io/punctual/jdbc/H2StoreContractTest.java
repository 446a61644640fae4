package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.contract.UserTransaction;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** Runs the contract of stores on an H2 database in this process. */
@Tag("extended")
final class H2StoreContractTest extends StoreContract {
  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(StoreUrl.parse(url + "?createTables=true"));
  }

  @Override
  protected UserTransaction beginTransaction(Store store) throws SQLException {
    return new JdbcUserTransaction(url);
  }

  /**
   * Returns fewer messages than the default, because H2 runs the calls of a queue one after
   * another.
   */
  @Override
  protected int manyMessages() {
    return 5_000;
  }
}
