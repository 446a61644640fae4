package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.PAST;
import static io.punctual.jdbc.TestCalls.await;
import static io.punctual.jdbc.TestCalls.dueAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.kit.database.PostgresServer;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests slow commits on PostgreSQL, and the connections of an application's pool. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostgresConnectionsTest {
  private PostgresServer server;
  private String url;

  @BeforeAll
  void startServer() {
    server = PostgresServer.start();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void createDatabase() throws SQLException {
    String name = "t" + UUID.randomUUID().toString().replace("-", "");
    execute(server.jdbcUrl(), "CREATE DATABASE " + name);
    url = server.jdbcUrl().replace("/postgres?", "/" + name + "?");
  }

  private static void execute(String url, String... commands) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  private long query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void take_commitIsStillRunning_returnsItsMessages() throws Exception {
    try (JdbcStore store = openImpatient()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      Reply reply = callDuringASlowCommit(calls, new Call.Claim(10, 60_000, true));
      assertThat(((Reply.Claimed) reply).messages())
          .extracting(Reply.Leased::id)
          .containsExactly("a");
    }
  }

  @Test
  void schedule_commitIsStillRunning_storesOnce() throws Exception {
    try (JdbcStore store = openImpatient()) {
      TestCalls calls = new TestCalls(store, "orders");
      callDuringASlowCommit(calls, new Call.Apply(List.of(dueAt("a", PAST)), null));
      assertThat(calls.claim(10).messages()).hasSize(1);
    }
  }

  /** Opens a store whose connections fail if the server does not reply within a second. */
  private JdbcStore openImpatient() {
    return JdbcStoreProvider.open(
        StoreUrl.parse(url + "&socketTimeout=1&listen=false&createTables=true"));
  }

  /**
   * Makes a call whose commit waits for a lock, without the lock timeout of the call. Releases the
   * lock when the store waits for the result of the lost commit, or has replied.
   */
  private Reply callDuringASlowCommit(TestCalls calls, Call.Body body) throws Exception {
    execute(
        url,
        "CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM set_config(''lock_timeout'', ''0'', true);"
            + " PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT OR UPDATE ON punctual_message"
            + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_for_test()");
    CompletableFuture<Reply> reply;
    try (Connection holder = DriverManager.getConnection(url);
        Statement statement = holder.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(42)");
      reply = calls.begin(body);
      await().atMost(Duration.ofMinutes(1)).until(() -> reply.isDone() || waitsForATransaction());
    }
    return await(reply);
  }

  private boolean waitsForATransaction() throws SQLException {
    return query("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype <> 'advisory'") > 0;
  }

  @Test
  void open_poolWithoutAutoCommit_createsTheTablesAndDeletesForgottenRows() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setAutoCommit(false);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcStore.builder().dataSource(pool).createTables(true).open().close();
      execute(url, "INSERT INTO punctual_call VALUES ('\\x00', 1, 0)");
      JdbcStore.builder().dataSource(pool).createTables(true).open().close();
      assertThat(query("SELECT count(*) FROM punctual_call")).isZero();
    }
  }

  private void createTables() {
    JdbcStoreProvider.open(StoreUrl.parse(url + "&createTables=true")).close();
  }

  @Test
  void connections_returnedToTheApplication_haveItsSettings() throws Exception {
    createTables();
    try (ApplicationPool pool = new ApplicationPool(url)) {
      try (JdbcStore store = JdbcStore.builder().dataSource(pool).open()) {
        await().atMost(Duration.ofMinutes(1)).until(pool::isListening);
        TestCalls calls = new TestCalls(store, "orders");
        calls.schedule("a");
        calls.claim(1);
      }
      assertThat(pool.returned()).isNotEmpty();
      for (Connection connection : pool.returned()) {
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(connection.getNetworkTimeout()).isZero();
      }
    }
  }

  @Test
  void listen_poolThatHidesTheDriversConnection_leavesNoConnectionListening() throws Exception {
    createTables();
    try (ApplicationPool pool = new ApplicationPool(url)) {
      pool.hidesDriver = true;
      try (JdbcStore store = JdbcStore.builder().dataSource(pool).open()) {
        assertThat(store.describe()).startsWith("jdbc:postgresql:");
        await().atMost(Duration.ofMinutes(1)).until(() -> pool.failedUnwraps >= 2);
      }
      for (Connection connection : pool.returned()) {
        assertThat(ApplicationPool.isListening(connection)).isFalse();
      }
    }
  }

  /** The user of this test has the grants that docs/jdbc.md lists, and no others. */
  @Test
  void open_minimalGrants_suffice() throws Exception {
    createTables();
    execute(
        url,
        "DROP ROLE IF EXISTS seller",
        "CREATE ROLE seller LOGIN",
        "GRANT SELECT ON punctual_schema TO seller",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON punctual_queue, punctual_message, punctual_call,"
            + " punctual_limit, punctual_pause, punctual_worker TO seller");
    BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    try (Punctual punctual = Punctual.open(url.replace("=postgres", "=seller"))) {
      TimedQueue<String> queue = punctual.queue("granted", Codec.string());
      Worker worker = queue.work(delivery -> delivered.add(delivery.payload()));
      queue.schedule("order", Duration.ZERO);
      assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("order");
      worker.close();
      queue.schedule(Message.of("later").id("later").dueIn(Duration.ofHours(1)));
      assertThat(queue.cancel("later")).isEqualTo(CancelOutcome.CANCELLED);
      queue.pause();
      assertThat(punctual.deleteQueue("granted")).isEqualTo(DeleteQueueOutcome.DELETED);
    }
    execute(url, "DROP OWNED BY seller", "DROP ROLE seller");
  }

  @Test
  void open_missingRight_isRefused() throws Exception {
    createTables();
    execute(
        url,
        "DROP ROLE IF EXISTS shop",
        "CREATE ROLE shop LOGIN",
        "GRANT SELECT ON punctual_schema TO shop");
    assertThatThrownBy(
            () -> JdbcStoreProvider.open(StoreUrl.parse(url.replace("=postgres", "=shop"))))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("punctual_call");
    execute(url, "DROP OWNED BY shop", "DROP ROLE shop");
  }

  @Test
  void open_unknownUser_isRefused() {
    assertThatThrownBy(
            () -> JdbcStoreProvider.open(StoreUrl.parse(url.replace("=postgres", "=nobody"))))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("nobody");
  }

  @Test
  void open_connectionBreaksDuringTheCheck_isUnavailable() throws Exception {
    createTables();
    try (ApplicationPool pool = new ApplicationPool(url);
        Connection locked = DriverManager.getConnection(url)) {
      pool.options = "&socketTimeout=1";
      locked.setAutoCommit(false);
      try (Statement statement = locked.createStatement()) {
        statement.execute("LOCK TABLE punctual_schema");
        assertThatThrownBy(() -> JdbcStore.builder().dataSource(pool).open())
            .isInstanceOf(StoreUnavailableException.class);
      }
    }
  }
}
