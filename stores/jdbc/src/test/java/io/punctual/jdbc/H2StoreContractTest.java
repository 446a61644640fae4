package io.punctual.jdbc;

import io.punctual.contract.StoreContract;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import java.util.UUID;

/** In this process. */
final class H2StoreContractTest extends StoreContract {
  private final String url =
      "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1?createTables=true";

  @Override
  protected Store openStore() {
    return JdbcStoreProvider.open(StoreUrl.parse(url));
  }

  /** The calls of a queue run in turn. */
  @Override
  protected int manyMessages() {
    return 5_000;
  }
}
