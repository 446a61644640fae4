package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Call;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests connections that answer, but refuse each change, while a new connection would not. A pool
 * takes such connections for healthy.
 */
final class DiscardedConnectionsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Records the connections of the driver, so that a test can change them. */
  private static HikariDataSource pool(String url, List<Connection> all) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(new RecordedSource(url, all));
    config.setMaximumPoolSize(10);
    return new HikariDataSource(config);
  }

  private static void execute(List<Connection> connections, String sql) throws SQLException {
    for (Connection connection : connections) {
      if (!connection.isClosed()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(sql);
          if (!connection.getAutoCommit()) {
            connection.commit(); // a connection that the store keeps; a rollback would undo it
          }
        }
      }
    }
  }

  /** As at a planned switch to a different server, and after a handler that left a setting. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SET search_path TO pg_catalog"
      })
  @Tag("extended")
  void work_allConnectionsOfThePoolRefuseChanges_goesOnWithNewConnections(String change)
      throws Exception {
    assertGoesOn(change, pool -> pool);
  }

  /** As with the data source of a library that records statements. */
  @Test
  @Tag("extended")
  void work_connectionsOfAWrappedPoolRefuseChanges_goesOnWithNewConnections() throws Exception {
    assertGoesOn(
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        pool -> new WatchedSource(pool).source());
  }

  private static void assertGoesOn(String change, UnaryOperator<DataSource> wrapper)
      throws Exception {
    List<Connection> all = new CopyOnWriteArrayList<>();
    try (TestServer server = PostgresServer.shared();
        HikariDataSource pool = pool(server.jdbcUrl(), all);
        Punctual punctual =
            Punctual.builder()
                .store(
                    JdbcStore.builder().dataSource(wrapper.apply(pool)).createTables(true).open())
                .build()) {
      assertWorks(punctual, "before");
      await().atMost(PATIENCE).until(() -> all.size() == pool.getMaximumPoolSize());
      execute(List.copyOf(all), change);
      assertWorks(punctual, "after");
    }
  }

  private static void assertWorks(Punctual punctual, String name) {
    TimedQueue<String> queue = punctual.queue(name, Codec.string());
    Set<String> delivered = ConcurrentHashMap.newKeySet();
    queue.work(delivery -> delivered.add(delivery.payload()));
    for (int i = 0; i < 5; i++) {
      queue.schedule("order " + i, Duration.ZERO);
    }
    await().atMost(PATIENCE).until(() -> delivered.size() == 5);
  }

  /** H2 closes the database in this way if a thread is interrupted while it uses the file. */
  @Test
  void schedule_databaseInAFileWasClosed_opensItAgain(@TempDir Path folder) throws Exception {
    String url = "jdbc:h2:" + folder + "/shop";
    List<Connection> all = new CopyOnWriteArrayList<>();
    try (HikariDataSource pool = pool(url, all);
        Punctual punctual =
            Punctual.builder()
                .store(JdbcStore.builder().dataSource(pool).createTables(true).open())
                .build()) {
      assertWorks(punctual, "before");
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CHECKPOINT SYNC");
        statement.execute("SHUTDOWN IMMEDIATELY");
      }
      assertWorks(punctual, "after");
    }
  }

  @Test
  @Tag("extended")
  void schedule_mariaDbIsReadOnlyForAWhile_usesNewConnectionsAfterwards() throws Exception {
    List<Connection> all = new CopyOnWriteArrayList<>();
    try (TestServer server = MariaDbServer.start()) {
      server.execute("CREATE USER shop@'%'");
      server.execute("GRANT ALL ON *.* TO shop@'%'");
      server.execute("REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM shop@'%'");
      String url = server.jdbcUrl().replaceAll("user=[^&]*", "user=shop");
      try (HikariDataSource pool = pool(url, all);
          JdbcStore store = JdbcStore.builder().dataSource(pool).createTables(true).open()) {
        TestCalls calls = new TestCalls(store, "orders");
        calls.schedule("a");
        List<Connection> before = List.copyOf(all);
        server.execute("SET GLOBAL read_only = 1");
        var unused =
            calls.begin(new Call.Apply(List.of(TestCalls.dueAt("b", TestCalls.PAST)), null));
        await()
            .atMost(PATIENCE)
            .until(() -> before.stream().anyMatch(DiscardedConnectionsTest::isClosed));
        server.execute("SET GLOBAL read_only = 0");
      }
      assertThat(all.size()).isGreaterThan(1);
    }
  }

  private static boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
