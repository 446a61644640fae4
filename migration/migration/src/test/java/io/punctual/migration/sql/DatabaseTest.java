package io.punctual.migration.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests connections to the database of an old library, on PostgreSQL. */
final class DatabaseTest {
  private static final String OWN_SESSION = "SELECT pg_backend_pid()";
  private static final String OTHER_SESSIONS =
      " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

  private TestDatabase database;

  @BeforeEach
  void create() {
    database = TestDatabase.ofPostgres();
  }

  private void endSessions() throws SQLException {
    database.execute("SELECT pg_terminate_backend(pid, 30000)" + OTHER_SESSIONS);
  }

  private long sessions() throws SQLException {
    return database.count("SELECT count(*)" + OTHER_SESSIONS);
  }

  @Test
  void transaction_ofUrl_keepsItsConnectionUntilAFailure() throws SQLException {
    try (Database old = new Database(database.source())) {
      long first = old.count(OWN_SESSION);
      assertThat(old.count(OWN_SESSION)).isEqualTo(first);

      endSessions();
      assertThatThrownBy(() -> old.count(OWN_SESSION))
          .isInstanceOf(StoreUnavailableException.class);

      long second = old.count(OWN_SESSION);
      assertThat(second).isNotEqualTo(first);
      assertThat(old.count(OWN_SESSION)).isEqualTo(second);
      assertThat(sessions()).isOne();
    }
    awaitNoSession();
  }

  @Test
  void transaction_ofUrl_forgivesAFailureOfTheKeptConnectionOnce() {
    try (Database old = new Database(database.source())) {
      assertThatThrownBy(() -> old.count("SELECT nothing"))
          .isNotInstanceOf(StoreUnavailableException.class);
      assertThat(old.count("SELECT 1")).isOne();
      assertThatThrownBy(() -> old.count("SELECT nothing"))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(old.count("SELECT 1")).isOne();
      assertThatThrownBy(() -> old.count("SELECT nothing"))
          .isNotInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("nothing");
    }
  }

  /**
   * Waits until no session is left. The server ends a session some time after its client has closed
   * the connection.
   */
  private void awaitNoSession() {
    await().until(() -> sessions() == 0);
  }

  @Test
  void transaction_ofPool_returnsEachConnection() {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger();
    DataSource pool =
        (DataSource)
            Proxy.newProxyInstance(
                DatabaseTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> {
                  open.incrementAndGet();
                  opened.incrementAndGet();
                  return counted(database.source().getConnection(), open);
                });
    try (Database old = new Database(pool)) {
      assertThat(old.count("SELECT 1")).isOne();
      assertThat(open).hasValue(0);
      assertThatThrownBy(() -> old.count("SELECT nothing")).hasMessageContaining("nothing");
      assertThat(open).hasValue(0);
      assertThat(opened).hasValue(2);
    }
  }

  private static Connection counted(Connection connection, AtomicInteger open) {
    return (Connection)
        Proxy.newProxyInstance(
            DatabaseTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                open.decrementAndGet();
              }
              return method.invoke(connection, args);
            });
  }

  @Test
  void run_connectionEndsOften_importsEachRowOnce() throws SQLException {
    assertThat(importRows(20, read -> read % 7 == 0)).isEqualTo(20);
  }

  @Test
  void run_connectionEndsBeforeTheOnlyPageIsTaken_importsIt() throws SQLException {
    assertThat(importRows(3, read -> read == 1)).isEqualTo(3);
  }

  /**
   * Imports rows, and returns the number of scheduled messages.
   *
   * @param ends whether the sessions end at the payload with this number. The importer reads a
   *     payload before it takes the row, and again when it schedules the message
   */
  private long importRows(int rows, IntPredicate ends) throws SQLException {
    database.execute(DbSchedulerTables.POSTGRESQL);
    database.execute(
        "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
            + " SELECT 'close-order', 'order-' || i, now() + INTERVAL '1 hour', false, 1"
            + " FROM generate_series(1, "
            + rows
            + ") AS i");
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      AtomicInteger read = new AtomicInteger();
      ImportReport report =
          DbSchedulerImport.from(((UrlSource) database.source()).url(), "close-order")
              .to(
                  queue,
                  data -> {
                    if (ends.test(read.incrementAndGet())) {
                      endSessions();
                    }
                    return data;
                  })
              .batchSize(5)
              .run();

      assertThat(report.isClean()).isTrue();
      assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isZero();
      awaitNoSession();
      assertThat(report.scheduled()).isEqualTo(queue.counts().scheduled());
      return report.scheduled();
    }
  }
}
