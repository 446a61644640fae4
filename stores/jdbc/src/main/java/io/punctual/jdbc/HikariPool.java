package io.punctual.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.jdbc.partition.StoreThreads;
import java.util.Map;

/**
 * Opens a store on a pool of HikariCP. Only this class uses HikariCP, so an application with its
 * own data source does not need HikariCP on its class path.
 */
final class HikariPool {
  private static final long CONNECT_MILLIS = 5_000;

  /**
   * How long the pool waits for a connection later. The store waits longer, so its failure has the
   * cause.
   */
  private static final long RECONNECT_MILLIS = 2_000;

  /**
   * The number of connections in addition to a connection for each thread: one to listen, and one
   * to notify, and to open and close the store.
   */
  private static final int SPARE = 2;

  private HikariPool() {}

  /**
   * Opens a store on a new pool, which the store closes.
   *
   * @param properties options for the driver that are not in the URL
   */
  static JdbcStore open(
      String url, Map<String, String> properties, int threads, JdbcStore.Builder builder) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    properties.forEach(config::addDataSourceProperty);
    config.setPoolName("punctual-jdbc");
    config.setMaximumPoolSize(threads + StoreThreads.LOOK_UPS + StoreThreads.CONTROLS + SPARE);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setInitializationFailTimeout(-1);
    if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
      config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1");
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    HikariDataSource pool = new HikariDataSource(config);
    try {
      JdbcStore store = builder.dataSource(pool).closeSource(pool::close).open();
      pool.setConnectionTimeout(RECONNECT_MILLIS);
      return store;
    } catch (Throwable e) {
      try (pool) {
        throw e;
      }
    }
  }
}
