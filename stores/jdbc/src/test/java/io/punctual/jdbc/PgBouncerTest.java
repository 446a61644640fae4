package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.PAST;
import static io.punctual.jdbc.TestCalls.await;
import static io.punctual.jdbc.TestCalls.dueAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.kit.database.PgBouncerServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests a store that shares a connection to the server with other clients of PgBouncer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PgBouncerTest {
  private PostgresServer server;
  private PgBouncerServer pooler;

  /**
   * Starts PgBouncer with a single connection to the server. A setting that a client leaves behind
   * then affects the next client.
   */
  @BeforeAll
  void startServers() throws SQLException {
    server = PostgresServer.start();
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET default_transaction_isolation = 'serializable'");
      statement.execute("SELECT pg_reload_conf()");
    }
    pooler = PgBouncerServer.inFrontOf(server, 1);
  }

  @AfterAll
  void stopServers() {
    if (pooler != null) {
      pooler.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private String setting(String name) throws SQLException {
    return query("SHOW " + name);
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(pooler.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void calls_ofTheStore_leaveNoSettingsToOtherClients() throws Exception {
    String zone = setting("TimeZone");
    try (JdbcStore store = open(pooler.jdbcUrl())) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      Reply.Claimed claimed = calls.claim(1);
      calls.apply(new Operation.Ack("a", claimed.token()));
      await(calls.partition.counts());
      assertThat(setting("synchronous_commit")).isEqualTo("on");
      assertThat(setting("lock_timeout")).isEqualTo("0");
      assertThat(setting("TimeZone")).isEqualTo(zone);
      assertThat(setting("default_transaction_isolation")).isEqualTo("serializable");
      assertThat(query("SELECT count(*) FROM pg_listening_channels()")).isEqualTo("0");
    }
  }

  private JdbcStore open(String url) {
    return JdbcStoreProvider.open(StoreUrl.parse(url + "&createTables=true"));
  }

  @Test
  void calls_databaseIsSerializable_runReadCommitted() throws Exception {
    try (JdbcStore store = open(pooler.jdbcUrl());
        Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      TestCalls calls = new TestCalls(store, "levels");
      statement.execute("CREATE TABLE levels (name text)");
      statement.execute(
          "CREATE FUNCTION note_level() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO"
              + " levels VALUES (current_setting(''transaction_isolation'')); RETURN NULL; END'");
      statement.execute(
          "CREATE TRIGGER note AFTER INSERT ON punctual_message FOR EACH ROW EXECUTE FUNCTION"
              + " note_level()");
      calls.schedule("a");
      statement.execute("DROP TRIGGER note ON punctual_message");
      assertThat(query("SELECT string_agg(DISTINCT name, ',') FROM levels"))
          .isEqualTo("read committed");
    }
  }

  @Test
  void driver_preparesStatements_failureNamesTheOption() throws Exception {
    String url = pooler.jdbcUrl().replace("prepareThreshold=0", "prepareThreshold=1");
    try (JdbcStore store = open(pooler.jdbcUrl());
        JdbcStore wrong = open(url)) {
      TestCalls other = new TestCalls(store, "prepared");
      // The second call of each client runs behind the deletion of expired ids, so that no other
      // transaction uses a connection of the pooler meanwhile.
      other.schedule("a");
      other.schedule("a");
      TestCalls calls = new TestCalls(wrong, "prepared");
      calls.schedule("b");
      try (Connection connection = DriverManager.getConnection(pooler.jdbcUrl());
          Statement statement = connection.createStatement()) {
        calls.schedule("b");
        statement.execute("DEALLOCATE ALL");
      }
      assertThatThrownBy(() -> await(calls.begin(new Call.Apply(List.of(dueAt("c", PAST)), null))))
          .hasMessageContaining("prepareThreshold=0");
    }
  }
}
