package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.DeleteQueueOutcome;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the deletion of a queue with many remembered ids whose time is over. */
final class ExpiredIdsTest {
  private static final int IDS = 5 * Partition.MAX_OPERATIONS;

  /** The largest number of rows that a statement has changed. */
  private final AtomicInteger most = new AtomicInteger();

  /** Runs when a statement has waited for a lock in vain. */
  private final AtomicReference<Unlock> unlock = new AtomicReference<>(() -> {});

  /** Ends a transaction. */
  private interface Unlock {
    void run() throws SQLException;
  }

  private <T> T counting(Class<T> type, Object target) {
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                if (e.getCause() instanceof SQLTimeoutException) {
                  unlock.get().run();
                }
                throw e.getCause();
              }
              if (method.getName().equals("executeUpdate")) {
                int unused = most.accumulateAndGet((Integer) result, Math::max);
              }
              return switch (method.getName()) {
                case "getConnection" -> counting(Connection.class, result);
                case "prepareStatement" -> counting(PreparedStatement.class, result);
                default -> result;
              };
            });
    return type.cast(proxy);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void delete_manyExpiredIds_deletesALimitedNumberAtATime(boolean isLockedAtFirst)
      throws Exception {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    DataSource counted = counting(DataSource.class, source);
    try (JdbcStore store = JdbcStore.builder().dataSource(counted).createTables(true).open();
        Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      calls.apply(new Operation.Cancel("a"));
      int filled =
          statement.executeUpdate(
              "INSERT INTO punctual_message"
                  + " (at_millis, queue_id, attempts, state, cancelled, id, content)"
                  + " SELECT 1, (SELECT queue_id FROM punctual_queue), 0, 3, false,"
                  + " CAST('m' || x AS VARBINARY), X'00' FROM SYSTEM_RANGE(1, "
                  + IDS
                  + ")");
      assertThat(filled).isEqualTo(IDS);
      if (isLockedAtFirst) {
        connection.setAutoCommit(false);
        boolean unused = statement.execute("SELECT 1 FROM punctual_queue FOR UPDATE");
        unlock.set(connection::commit);
      }

      assertThat(TestCalls.await(store.delete("orders"))).isEqualTo(DeleteQueueOutcome.DELETED);
    }
    assertThat(most.get()).isLessThanOrEqualTo(2 * Partition.MAX_OPERATIONS);
  }
}
