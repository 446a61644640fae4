package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests transactions in which a call fails, so that the database may roll the transaction back. The
 * application catches the failure, and commits nevertheless.
 */
final class EndedTransactionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static Message<String> message(String id) {
    return Message.of("payload").id(id).dueIn(HOUR);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private interface Scenario {
    void run(TestServer server, TimedQueue<String> queue) throws Exception;
  }

  private static void with(TestServer server, Scenario test) throws Exception {
    try (server;
        Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true")) {
      TimedQueue<String> queue = punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
      queue.schedule(message("a"));
      queue.schedule(message("b"));
      test.run(server, queue);
    }
  }

  /** Makes a call of a transaction fail as the victim of a deadlock. */
  private static void runIntoDeadlock(
      TestServer server, TimedQueue<String> queue, JdbcTransaction transaction) throws Exception {
    try (JdbcUserTransaction other = new JdbcUserTransaction(server.jdbcUrl())) {
      // In a deadlock, the database rolls back the transaction that has changed fewer rows. The
      // other transaction therefore changes many.
      List<Message<String>> many = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        many.add(message("many-" + UUID.randomUUID()));
      }
      queue.inTransaction(other.transaction()).scheduleAll(many);
      queue.inTransaction(other.transaction()).cancel("b");
      queue.inTransaction(transaction).cancel("a");
      CompletableFuture<?> waiting =
          CompletableFuture.runAsync(() -> queue.inTransaction(other.transaction()).cancel("a"));
      assertThatThrownBy(() -> queue.inTransaction(transaction).cancel("b"))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("Deadlock");
      waiting.join();
    }
  }

  @Test
  void commit_afterACaughtDeadlock_throwsAndPublishesNothing() throws Exception {
    AtomicInteger published = new AtomicInteger();
    with(
        MariaDbServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
            JdbcTransaction transaction = (JdbcTransaction) user.transaction();
            queue.inTransaction(transaction).schedule(message("lost"));
            transaction.afterCommit(published::incrementAndGet);
            runIntoDeadlock(server, queue, transaction);
            assertThatThrownBy(() -> queue.inTransaction(transaction).schedule(message("later")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rolled this transaction back");
            assertThatThrownBy(transaction::commit)
                .isInstanceOfSatisfying(
                    SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1213))
                .hasMessageContaining("repeat the transaction");
            transaction.rollback();
          }
          assertThat(published).hasValue(0);
          assertThat(queue.find("lost")).isEmpty();
          assertThat(queue.find("a")).isPresent();
        });
  }

  @Test
  void commitOfAFramework_afterACaughtDeadlock_publishesNothing() throws Exception {
    AtomicInteger published = new AtomicInteger();
    List<Runnable> afterCommit = new ArrayList<>();
    with(
        MariaDbServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
            JdbcTransaction transaction = JdbcTransaction.of(user.connection(), afterCommit::add);
            transaction.afterCommit(published::incrementAndGet);
            runIntoDeadlock(server, queue, transaction);
            user.connection().commit();
            afterCommit.forEach(Runnable::run);
          }
          assertThat(afterCommit).isNotEmpty();
          assertThat(published).hasValue(0);
        });
  }

  /** Makes a call of a transaction fail with a lock timeout. */
  private static void runIntoLock(
      TestServer server, TimedQueue<String> queue, JdbcTransaction transaction) throws Exception {
    try (JdbcUserTransaction other = new JdbcUserTransaction(server.jdbcUrl())) {
      queue.inTransaction(other.transaction()).cancel("a");
      assertThatThrownBy(() -> queue.inTransaction(transaction).cancel("a"))
          .isInstanceOf(PunctualException.class);
    }
  }

  @Test
  void commit_afterALockTimeout_keepsTheOtherChanges() throws Exception {
    AtomicInteger published = new AtomicInteger();
    with(
        MariaDbServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
            execute(user.connection(), "SET SESSION innodb_lock_wait_timeout = 1");
            queue.inTransaction(user.transaction()).schedule(message("kept"));
            user.transaction().afterCommit(published::incrementAndGet);
            runIntoLock(server, queue, (JdbcTransaction) user.transaction());
            user.commit();
          }
          assertThat(published).hasValue(1);
          assertThat(queue.find("kept")).isPresent();
        });
  }

  /**
   * The contents are large, so the call needs several statements, and fails at the last of them.
   */
  @Test
  void commit_afterACallThatFailedHalfWay_hasNoPartOfTheCall() throws Exception {
    String large = "x".repeat(900_000);
    List<Message<String>> messages = new ArrayList<>();
    for (String id : List.of("Z", "Y", "a")) {
      messages.add(Message.of(large).id(id).dueIn(HOUR));
    }
    with(
        MariaDbServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl());
              JdbcUserTransaction other = new JdbcUserTransaction(server.jdbcUrl())) {
            execute(user.connection(), "SET SESSION innodb_lock_wait_timeout = 1");
            queue.inTransaction(user.transaction()).schedule(message("kept"));
            queue.inTransaction(other.transaction()).cancel("a");
            assertThatThrownBy(() -> queue.inTransaction(user.transaction()).scheduleAll(messages))
                .isInstanceOf(PunctualException.class);
            user.commit();
          }
          assertThat(queue.find("kept")).isPresent();
          assertThat(queue.find("Y")).isEmpty();
          assertThat(queue.find("Z")).isEmpty();
        });
  }

  /**
   * PostgreSQL answers the commit of an aborted transaction with a rollback, and an option of the
   * driver hides that.
   */
  @Test
  void commit_postgresHasAbortedTheTransaction_throwsAndPublishesNothing() throws Exception {
    AtomicInteger published = new AtomicInteger();
    with(
        PostgresServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user =
              new JdbcUserTransaction(server.jdbcUrl() + "&raiseExceptionOnSilentRollback=false")) {
            execute(user.connection(), "SET LOCAL lock_timeout = 50");
            JdbcTransaction transaction = (JdbcTransaction) user.transaction();
            queue.inTransaction(transaction).schedule(message("lost"));
            transaction.afterCommit(published::incrementAndGet);
            runIntoLock(server, queue, transaction);
            assertThatThrownBy(transaction::commit)
                .isInstanceOfSatisfying(
                    SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
          }
          assertThat(published).hasValue(0);
          assertThat(queue.find("lost")).isEmpty();
        });
  }

  @Test
  void commit_postgresRolledBackToASavepoint_keepsTheEarlierChanges() throws Exception {
    AtomicInteger published = new AtomicInteger();
    with(
        PostgresServer.shared(),
        (server, queue) -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
            execute(user.connection(), "SET LOCAL lock_timeout = 50");
            queue.inTransaction(user.transaction()).schedule(message("kept"));
            user.transaction().afterCommit(published::incrementAndGet);
            Savepoint savepoint = user.connection().setSavepoint();
            runIntoLock(server, queue, (JdbcTransaction) user.transaction());
            user.connection().rollback(savepoint);
            user.commit();
          }
          assertThat(published).hasValue(1);
          assertThat(queue.find("kept")).isPresent();
        });
  }
}
