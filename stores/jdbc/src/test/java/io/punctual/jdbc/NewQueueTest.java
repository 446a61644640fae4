package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.LockedByTransactionException;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.jdbc.partition.StoreThreads;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests calls while an open transaction has created or locked a queue. */
final class NewQueueTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int CONNECTIONS = 4;
  private static final int TRIALS = 20;

  /**
   * The start of the transaction that waits for a lock in the test's database, in microseconds from
   * 1970; 0 if no transaction waits.
   */
  private static final String WAITING_SINCE =
      "SELECT coalesce(max(extract(epoch FROM xact_start) * 1000000), 0)::bigint"
          + " FROM pg_locks JOIN pg_stat_activity USING (pid)"
          + " WHERE NOT granted AND datname = current_database()";

  private static final String MARIADB_LOCK_WAITS =
      "SELECT variable_value FROM information_schema.global_status"
          + " WHERE variable_name = 'INNODB_ROW_LOCK_WAITS'";

  private final String name = "orders-" + UUID.randomUUID();

  @Test
  void counts_openTransactionsOnPostgresHaveCreatedQueues_doNotWait() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertLookUpsDoNotWait(server.jdbcUrl());
    }
  }

  @Test
  void counts_openTransactionsOnH2HaveCreatedQueues_doNotWait() throws Exception {
    assertLookUpsDoNotWait("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  }

  /**
   * While the pool has no free connection, creates as many queues in transactions as there are
   * threads for look-ups. The threads must be free again when the pool has free connections.
   */
  private void assertLookUpsDoNotWait(String url) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(CONNECTIONS);
    List<JdbcUserTransaction> users = new ArrayList<>();
    try (HikariDataSource pool = new HikariDataSource(config);
        Punctual punctual =
            Punctual.builder()
                .store(JdbcStore.builder().dataSource(pool).listen(false).createTables(true).open())
                .build()) {
      TimedQueue<String> other = punctual.queue(name, Codec.string());
      other.schedule(Message.of("payload").id("a").dueIn(HOUR));
      List<Connection> all = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        all.add(pool.getConnection());
      }
      for (int i = 0; i < StoreThreads.LOOK_UPS; i++) {
        JdbcUserTransaction user = new JdbcUserTransaction(url);
        users.add(user);
        punctual
            .queue(name + "-" + i, Codec.string())
            .inTransaction(user.transaction())
            .schedule("payload", HOUR);
      }
      for (Connection connection : all) {
        connection.close();
      }
      // If the look-ups had no free thread, this call would fail after five seconds.
      assertThat(other.counts().scheduled()).isEqualTo(1);
      users.forEach(JdbcUserTransaction::commit);
      for (int i = 0; i < StoreThreads.LOOK_UPS; i++) {
        assertThat(punctual.queue(name + "-" + i, Codec.string()).counts().scheduled())
            .isEqualTo(1);
      }
    } finally {
      users.forEach(JdbcUserTransaction::close);
    }
  }

  /**
   * The second connection commits the new queue only after the transaction has given up, and waits
   * for the same row. On a busy machine, the second connection can also be too slow to insert the
   * row, so the test needs several trials.
   */
  @Test
  void scheduleInTransaction_queueIsCreatedTooLateOnTheSecondConnection_isStored()
      throws Exception {
    try (TestServer server = MariaDbServer.shared();
        ApplicationPool pool = new ApplicationPool(server.jdbcUrl());
        Punctual punctual =
            Punctual.builder()
                .store(JdbcStore.builder().dataSource(pool).createTables(true).open())
                .blockingTimeout(Duration.ofMinutes(1))
                .build()) {
      boolean wasLate = false;
      for (int trial = 0; trial < TRIALS && !wasLate; trial++) {
        TimedQueue<String> queue = punctual.queue(name + "-" + trial, Codec.string());
        wasLate = isCreatedLate(server, pool, queue);
        assertThat(queue.find("a")).isPresent();
      }
      assertThat(wasLate).isTrue();
    }
  }

  /**
   * Schedules a message in a transaction. Returns whether the transaction has waited for the row of
   * the queue that the second connection had inserted.
   */
  private static boolean isCreatedLate(
      TestServer server, ApplicationPool pool, TimedQueue<String> queue) throws Exception {
    long before = server.query(MARIADB_LOCK_WAITS);
    AtomicBoolean hasEnded = new AtomicBoolean();
    pool.beforeCommit =
        () -> {
          Awaitility.await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> hasEnded.get() || server.query(MARIADB_LOCK_WAITS) > before);
          return null;
        };
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      queue.inTransaction(user.transaction()).schedule(Message.of("payload").id("a").dueIn(HOUR));
      user.commit();
    } finally {
      hasEnded.set(true);
    }
    return server.query(MARIADB_LOCK_WAITS) > before;
  }

  private void create(JdbcUserTransaction user) throws SQLException {
    try (Statement statement = user.connection().createStatement()) {
      statement.executeUpdate(
          "INSERT INTO punctual_queue (name, paused) VALUES ('" + name + "', false)");
    }
  }

  @Test
  void schedule_openTransactionHasCreatedTheQueue_waitsInShortSteps() throws Exception {
    try (TestServer server = PostgresServer.shared();
        Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      create(user);
      TimedQueue<String> queue = punctual.queue(name, Codec.string());
      AtomicReference<CompletableFuture<Scheduled>> scheduled = new AtomicReference<>(start(queue));
      Set<Long> waiting = new HashSet<>();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                waiting.add(server.query(WAITING_SINCE));
                waiting.remove(0L);
                // A busy machine may not see two steps before the call gives up.
                if (scheduled.get().isCompletedExceptionally()) {
                  scheduled.set(start(queue));
                }
                return waiting.size() >= 2;
              });
      user.commit();
      assertThat(scheduled.get().get(30, TimeUnit.SECONDS).outcome())
          .isEqualTo(ScheduleOutcome.STORED);
    }
  }

  private static CompletableFuture<Scheduled> start(TimedQueue<String> queue) {
    return queue.async().schedule(Message.of("payload").id("a").dueIn(HOUR)).toCompletableFuture();
  }

  @Test
  void schedule_openTransactionOnPostgresKeepsTheNewQueue_failsWithTheReason() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertScheduleSaysThatTheQueueIsBusy(server.jdbcUrl(), "&");
    }
  }

  @Test
  void schedule_openTransactionOnH2KeepsTheNewQueue_failsWithTheReason() throws Exception {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    assertScheduleSaysThatTheQueueIsBusy(url, "?");
  }

  @Test
  void schedule_openTransactionOnMariaDbKeepsTheNewQueue_failsWithTheReason() throws Exception {
    try (TestServer server = MariaDbServer.shared()) {
      assertScheduleSaysThatTheQueueIsBusy(server.jdbcUrl(), "&");
    }
  }

  private void assertScheduleSaysThatTheQueueIsBusy(String url, String separator) throws Exception {
    try (Punctual punctual = Punctual.open(url + separator + "createTables=true");
        JdbcUserTransaction user = new JdbcUserTransaction(url)) {
      create(user);
      TimedQueue<String> queue =
          punctual.queue(name, Codec.string()).withTimeout(Duration.ofSeconds(60));
      assertThatThrownBy(() -> queue.schedule("payload", HOUR))
          .isInstanceOf(LockedByTransactionException.class)
          .hasMessageContaining("Queue '" + name + "' was created by a transaction");
      user.commit();
      assertThat(queue.schedule("payload", HOUR).outcome()).isEqualTo(ScheduleOutcome.STORED);
    }
  }

  @Tag("extended")
  @Test
  void schedule_openTransactionHasLockedAnExistingQueue_waits() throws Exception {
    try (TestServer server = MariaDbServer.shared();
        Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl());
        Statement statement = user.connection().createStatement()) {
      TimedQueue<String> queue = punctual.queue(name, Codec.string());
      queue.schedule("payload", HOUR);
      statement.execute("SELECT * FROM punctual_queue WHERE name = '" + name + "' FOR UPDATE");
      long before = server.query(MARIADB_LOCK_WAITS);
      CompletableFuture<Scheduled> scheduled =
          queue.async().schedule(Message.of("payload").id("a").dueIn(HOUR)).toCompletableFuture();
      // Each wait takes a second, so a call that fails early after 3 seconds fails before the end.
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> scheduled.isDone() || server.query(MARIADB_LOCK_WAITS) - before > 4);
      user.commit();
      assertThat(scheduled.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(ScheduleOutcome.STORED);
    }
  }

  @Test
  void pause_openTransactionHasCreatedTheQueue_failsWithTheReason() throws Exception {
    try (TestServer server = PostgresServer.shared();
        Punctual punctual =
            Punctual.open(server.jdbcUrl() + "&createTables=true&operationTimeout=1m");
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      create(user);
      TimedQueue<String> queue = punctual.queue(name, Codec.string());
      assertThatThrownBy(queue::pause)
          .isInstanceOf(LockedByTransactionException.class)
          .hasMessageContaining(name);
    }
  }
}
