package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests settlements in transactions that can't change a row if a different transaction has changed
 * it after their first statement. A renewal of the message's lease is such a change by a different
 * transaction.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SnapshotIsolationTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration LEASE = Duration.ofSeconds(1);

  private TestServer postgres;
  private TestServer mariaDb;

  @BeforeAll
  void startServers() {
    postgres = PostgresServer.shared();
    mariaDb = MariaDbServer.shared();
  }

  @AfterAll
  void stopServers() {
    if (postgres != null) {
      postgres.close();
    }
    if (mariaDb != null) {
      mariaDb.close();
    }
  }

  /** A database, an isolation, and a statement that prepares the connection. */
  private enum Level {
    POSTGRES_REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ, "SELECT 1"),
    POSTGRES_SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE, "SELECT 1"),
    /** The default of MariaDB 11.6.2 and later versions. */
    MARIADB_REPEATABLE_READ(
        Connection.TRANSACTION_REPEATABLE_READ, "SET SESSION innodb_snapshot_isolation = ON");

    final int isolation;
    final String setting;

    Level(int isolation, String setting) {
      this.isolation = isolation;
      this.setting = setting;
    }
  }

  private TestServer server(Level level) {
    return level == Level.MARIADB_REPEATABLE_READ ? mariaDb : postgres;
  }

  private Punctual open(Level level) throws SQLException {
    Punctual punctual = Punctual.open(server(level).jdbcUrl() + "&createTables=true");
    try (JdbcUserTransaction user = begin(level)) {
      execute(user, "CREATE TABLE IF NOT EXISTS effects (id varchar(100))");
      user.commit();
    }
    return punctual;
  }

  private JdbcUserTransaction begin(Level level) throws SQLException {
    JdbcUserTransaction user = new JdbcUserTransaction(server(level).jdbcUrl());
    execute(user, level.setting);
    user.connection().rollback();
    user.connection().setTransactionIsolation(level.isolation);
    return user;
  }

  private static void execute(JdbcUserTransaction user, String sql) throws SQLException {
    try (Statement statement = user.connection().createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private int effects(Level level, String id) throws SQLException {
    try (JdbcUserTransaction user = begin(level);
        Statement statement = user.connection().createStatement();
        ResultSet row =
            statement.executeQuery("SELECT count(*) FROM effects WHERE id = '" + id + "'")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
  }

  @ParameterizedTest
  @EnumSource
  void ackLast_leaseWasRenewedMeanwhile_failsWithTheRemedy(Level level) throws Exception {
    try (Punctual punctual = open(level)) {
      TimedQueue<String> queue = queue(punctual);
      queue.schedule(Message.of("payload").id("a").dueIn(Duration.ZERO));
      Delivery<String> delivery =
          queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
      try (JdbcUserTransaction user = begin(level)) {
        execute(user, "SELECT count(*) FROM effects");
        delivery.extend(HOUR);
        assertThatThrownBy(() -> delivery.ack(user.transaction()))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("Roll back, and repeat the transaction")
            .hasMessageContaining("before all other statements")
            .hasMessageContaining("READ COMMITTED");
        assertThatThrownBy(user::commit).hasCauseInstanceOf(SQLException.class);
      }
      try (JdbcUserTransaction user = begin(level)) {
        delivery.ack(user.transaction());
        user.commit();
      }
      assertThat(queue.find("a")).isEmpty();
    }
  }

  /**
   * The transaction has locked the message, so no other consumer receives it even after the end of
   * the lease.
   */
  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void ackFirst_transactionOutlivesTheLease_takesEffectExactlyOnce(Level level) throws Exception {
    CountDownLatch committed = new CountDownLatch(1);
    String id = "first-" + level;
    try (Punctual punctual = open(level);
        Punctual other = Punctual.open(server(level).jdbcUrl())) {
      TimedQueue<String> queue = queue(punctual);
      TimedQueue<String> elsewhere = other.queue(queue.name(), Codec.string());
      queue.work(
          WorkerOptions.builder().concurrency(2).lease(LEASE).build(),
          delivery -> {
            try (JdbcUserTransaction user = begin(level)) {
              delivery.ack(user.transaction());
              execute(user, "INSERT INTO effects VALUES ('" + delivery.id() + "')");
              Awaitility.await()
                  .atMost(Duration.ofMinutes(1))
                  .until(
                      () ->
                          elsewhere
                                  .claim(
                                      1,
                                      ClaimOptions.DEFAULT.lease(LEASE).maxWait(LEASE.dividedBy(5)))
                                  .isEmpty()
                              && delivery.remaining().isZero());
              assertThat(elsewhere.claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(LEASE)))
                  .isEmpty();
              user.commit();
              committed.countDown();
            }
          });
      queue.schedule(Message.of("payload").id(id).dueIn(Duration.ZERO));
      assertThat(committed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(queue.find(id)).isEmpty();
      assertThat(effects(level, id)).isEqualTo(1);
    }
  }
}
