package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.jdbc.JdbcStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests a store that could not open, because an error struck while it joined a shared pool. */
final class SharedPoolErrorTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Thread test = Thread.currentThread();

  /** The number of calls until the error; 0 for no error. */
  private int left;

  /** A pool whose size can't be read once, by the thread of the test. */
  private final class FailingPool extends HikariDataSource {
    FailingPool(HikariConfig config) {
      super(config);
    }

    @Override
    public int getMaximumPoolSize() {
      if (Thread.currentThread() == test && left > 0 && --left == 0) {
        throw new InternalError("a planned lack of memory");
      }
      return super.getMaximumPoolSize();
    }
  }

  @Test
  void lend_errorAtEachStep_lastStoreReturnsAllConnections() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    try (FailingPool pool = new FailingPool(config)) {
      JdbcStore.builder().dataSource(pool).createTables(true).open().close();
      Lender lender;
      try (Connection connection = pool.getConnection()) {
        lender = Lender.of(pool, connection, Dialect.of(connection));
      }
      int call = 1;
      while (fails(lender, call)) {
        call++;
      }
      assertThat(call).as("steps").isGreaterThan(3);
      await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }
  }

  private boolean fails(Lender lender, int call) {
    left = call;
    try {
      StoreConnections lent = StoreConnections.shared(lender, 7, true);
      left = 0;
      lent.close();
      return false;
    } catch (InternalError e) {
      return true;
    }
  }
}
