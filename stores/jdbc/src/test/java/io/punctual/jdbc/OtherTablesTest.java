package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.ScheduleOutcome;
import io.punctual.TimedQueue;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests transactions on other tables than those of the store. A message would be stored there,
 * where no worker of the store looks.
 */
final class OtherTablesTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String OTHER = "does not see the tables of";

  /** Creates the queue in tables of a store. */
  private static Punctual open(String url) {
    Punctual punctual = Punctual.open(url);
    punctual.queue("orders", Codec.string()).schedule(Message.of("x").id("x").dueIn(HOUR));
    return punctual;
  }

  private static void assertRefused(String ownUrl, String otherUrl, String other)
      throws SQLException {
    try (Punctual own = open(ownUrl);
        Punctual unused = open(otherUrl);
        JdbcUserTransaction user = new JdbcUserTransaction(other)) {
      TimedQueue<String> queue = own.queue("orders", Codec.string());
      assertThatThrownBy(() -> queue.inTransaction(user.transaction()).schedule("y", HOUR))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(OTHER);
      assertThatThrownBy(() -> queue.inTransaction(user.transaction()).cancel("x"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(OTHER);
      TimedQueue<String> unknown = own.queue("unknown", Codec.string());
      assertThatThrownBy(() -> unknown.inTransaction(user.transaction()).schedule("y", HOUR))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(OTHER);
    }
  }

  @ParameterizedTest
  @EnumSource
  void schedule_transactionOfADifferentDatabase_isRefused(TestDatabase database)
      throws SQLException {
    try (TestServer server = database.shared();
        TestServer other = database.shared()) {
      String options = "&createTables=true";
      assertRefused(server.jdbcUrl() + options, other.jdbcUrl() + options, other.jdbcUrl());
    }
  }

  @Test
  void schedule_transactionOfADifferentDatabaseOfH2_isRefused() throws SQLException {
    String other = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    String options = "?createTables=true";
    assertRefused("jdbc:h2:mem:" + UUID.randomUUID() + options, other + options, other);
  }

  /** Applications with a schema for each tenant change the search path within a transaction. */
  @Test
  void schedule_transactionHasTheSchemaOfATenant_isRefusedAndTheOwnSchemaWorks() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      server.execute("CREATE SCHEMA a");
      server.execute("CREATE SCHEMA b");
      String a = server.jdbcUrl() + "&currentSchema=a";
      try (Punctual own = open(a + "&createTables=true");
          Punctual unused = open(server.jdbcUrl() + "&currentSchema=b&createTables=true");
          Connection connection = DriverManager.getConnection(a);
          Statement statement = connection.createStatement()) {
        TimedQueue<String> queue = own.queue("orders", Codec.string());
        connection.setAutoCommit(false);
        statement.execute("SET LOCAL search_path TO b");
        assertThatThrownBy(
                () -> queue.inTransaction(JdbcTransaction.of(connection)).schedule("y", HOUR))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(OTHER);
        connection.rollback();
        JdbcTransaction transaction = JdbcTransaction.of(connection);
        assertThat(queue.inTransaction(transaction).schedule("y", HOUR).outcome())
            .isEqualTo(ScheduleOutcome.STORED);
        transaction.commit();
      }
    }
  }

  /** Tests of applications often empty all tables. */
  @ParameterizedTest
  @EnumSource
  void schedule_tablesWereEmptied_isStored(TestDatabase database) throws SQLException {
    try (TestServer server = database.shared();
        Punctual own = open(server.jdbcUrl() + "&createTables=true");
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      server.execute("DELETE FROM punctual_call");
      TimedQueue<String> queue = own.queue("orders", Codec.string());
      assertThat(queue.inTransaction(user.transaction()).schedule("y", HOUR).outcome())
          .isEqualTo(ScheduleOutcome.STORED);
      user.commit();
    }
  }

  /** Two transactions find the tables empty, and the second marks them first. */
  @ParameterizedTest
  @EnumSource
  void schedule_twoTransactionsAfterTablesWereEmptied_areStored(TestDatabase database)
      throws SQLException {
    try (TestServer server = database.shared();
        HikariDataSource pool = pool(server.jdbcUrl());
        JdbcUserTransaction one = new JdbcUserTransaction(server.jdbcUrl());
        JdbcUserTransaction two = new JdbcUserTransaction(server.jdbcUrl())) {
      WatchedSource watched = new WatchedSource(pool);
      try (Punctual own =
          Punctual.builder()
              .store(JdbcStore.builder().dataSource(watched.source()).createTables(true).open())
              .build()) {
        TimedQueue<String> queue = own.queue("orders", Codec.string());
        queue.schedule(Message.of("x").id("x").dueIn(HOUR));
        one.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        server.execute("DELETE FROM punctual_call");
        AtomicReference<ScheduleOutcome> second = new AtomicReference<>();
        watched.onStatement =
            sql -> {
              if (sql.startsWith("INSERT INTO punctual_call")) {
                watched.onStatement = any -> {};
                second.set(queue.inTransaction(two.transaction()).schedule("z", HOUR).outcome());
              }
            };
        assertThat(queue.inTransaction(one.transaction()).schedule("y", HOUR).outcome())
            .isEqualTo(ScheduleOutcome.STORED);
        assertThat(second).hasValue(ScheduleOutcome.STORED);
      }
    }
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    return new HikariDataSource(config);
  }

  /** A transaction with an older snapshot would not see a mark that was written again. */
  @Test
  void open_otherStoreIsOlderThanADay_keepsTheMarkOfItsTables() throws SQLException {
    try (TestServer server = PostgresServer.shared();
        Punctual own = open(server.jdbcUrl() + "&createTables=true");
        Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      int marks =
          statement.executeUpdate(
              "UPDATE punctual_call SET at_millis = at_millis - 172800000 WHERE call_number = 0");
      open(server.jdbcUrl()).close();
      try (ResultSet rows =
          statement.executeQuery("SELECT count(*) FROM punctual_call WHERE call_number = 0")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(marks).isPositive();
      }
    }
  }
}
