package io.punctual.jdbc.sql;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.pool.ProxyConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** A pool of HikariCP behind a data source. Only its methods use HikariCP. */
record PoolView(HikariDataSource pool) {
  /**
   * Returns the pool behind a data source, or empty if there is none, or a pool of another kind.
   */
  static Optional<PoolView> of(DataSource source) {
    try {
      return source.isWrapperFor(HikariDataSource.class)
          ? Optional.of(new PoolView(source.unwrap(HikariDataSource.class)))
          : Optional.empty();
    } catch (SQLException | LinkageError e) {
      // A LinkageError: the application does not have HikariCP.
      return Optional.empty();
    }
  }

  String name() {
    return pool.getPoolName();
  }

  int size() {
    return pool.getMaximumPoolSize();
  }

  /** Returns the use of the pool in the words of HikariCP. */
  String use() {
    HikariPoolMXBean now = pool.getHikariPoolMXBean();
    return now == null
        ? ""
        : " (total="
            + now.getTotalConnections()
            + ", active="
            + now.getActiveConnections()
            + ", idle="
            + now.getIdleConnections()
            + ", waiting="
            + now.getThreadsAwaitingConnection()
            + ")";
  }

  /**
   * Makes the pool close the connection, and replace it. Returns false without effect if the pool
   * does not know the connection, because a data source around the pool has wrapped it.
   */
  boolean evict(Connection connection) {
    pool.evictConnection(connection);
    return connection instanceof ProxyConnection;
  }
}
