package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.jdbc.JdbcStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests connections and hints while there is no memory for a thread, and afterwards. */
final class WithoutThreadsTest {
  private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final JdbcDataSource database = new JdbcDataSource();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  @BeforeEach
  void createTables() {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    JdbcStore.builder().dataSource(database).createTables(true).open().close();
  }

  private Lender lender(DataSource source) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return Lender.of(source, connection, Dialect.of(connection));
    }
  }

  /** Returns a factory that fails for the first threads. */
  private ThreadFactory threadsAfter(int failures) {
    return task -> {
      if (asked.incrementAndGet() <= failures) {
        throw new InternalError("a planned lack of memory");
      }
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    };
  }

  @Test
  void take_noThreadForAWhile_hasAConnectionAfterwards() throws SQLException {
    Connections connections = new Connections(lender(database), threadsAfter(1));
    connections.keep(1, 0);
    BorrowedConnection taken = connections.take();
    assertThat(taken.works()).isTrue();
    connections.giveBack(taken, true);
    connections.close();
  }

  @Test
  void take_noThreadAtAll_namesTheCause() throws SQLException {
    Connections connections = new Connections(lender(database), threadsAfter(Integer.MAX_VALUE));
    assertThatThrownBy(connections::take)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("a planned lack of memory");
    connections.close();
  }

  /** A data source whose first closed connection has an error. */
  private DataSource failingSource() {
    return proxy(
        DataSource.class,
        database,
        "getConnection",
        () -> {
          Connection connection = database.getConnection();
          return proxy(
              Connection.class,
              connection,
              "close",
              () -> {
                connection.close();
                if (closed.incrementAndGet() == 1) {
                  throw new InternalError("a planned lack of memory");
                }
                return null;
              });
        });
  }

  private interface Answer {
    Object get() throws SQLException;
  }

  private static <T> T proxy(Class<T> type, Object target, String method, Answer answer) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              if (called.getName().equals(method)) {
                return answer.get();
              }
              try {
                return called.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  @Test
  void close_oneConnectionHasAnError_closesTheOthers() throws SQLException {
    Connections connections = new Connections(lender(failingSource()));
    assertThat(connections.tryOut(3, PATIENCE_MILLIS)).isEqualTo(3);
    connections.close();
    // The connection with the error is closed a second time.
    assertThat(closed).hasValue(4);
  }

  @Test
  void run_workFailsAndTheRollbackHasAnError_throwsTheFailureAndReplacesTheConnection()
      throws SQLException {
    DataSource source =
        proxy(
            DataSource.class,
            database,
            "getConnection",
            () ->
                proxy(
                    Connection.class,
                    database.getConnection(),
                    "rollback",
                    () -> {
                      asked.incrementAndGet();
                      throw new InternalError("a planned lack of memory");
                    }));
    Connections connections = new Connections(lender(source));
    TransactionRunner transactions = new TransactionRunner(connections, "database");
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(
              () ->
                  transactions.run(
                      connection -> {
                        throw new IllegalStateException("the first failure");
                      }))
          .hasMessage("the first failure");
      assertThat(asked).hasValue(i);
    }
    connections.close();
  }

  @Test
  void changed_noThreadForAWhile_isSentWithTheNextHint() throws SQLException {
    Lender lender = lender(database);
    try (Connection connection = database.getConnection()) {
      Notifications notifications =
          new Notifications(
              new Listener(lender),
              new TransactionRunner(new Connections(lender), "database"),
              Dialect.of(connection),
              new Notifications.Receiver() {
                @Override
                public void begins() {}

                @Override
                public void accept(Notification notification) {}
              },
              threadsAfter(1));
      notifications.changed("orders", 1_000, 0, 0);
      notifications.changed("orders", 1_000, 0, 0);
      assertThat(asked).hasValue(2);
      notifications.close();
    }
  }
}
