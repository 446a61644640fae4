package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests transactions that change the same messages in opposite orders, while a client changes these
 * messages without transactions. PostgreSQL rolls back some of the transactions because of
 * deadlocks or serialization failures, and the application repeats them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TransactionConflictTest {
  private static final int THREADS = 4;
  private static final int TRANSACTIONS = 15;
  private static final int SHARED = 3;
  private static final int CALLS = 200;
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final Duration HOUR = Duration.ofHours(1);

  private TestServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_SERIALIZABLE})
  @Tag("extended")
  void transactions_inOppositeOrders_rowsAndMessagesAgree(int isolation) throws Exception {
    AtomicInteger repeated = new AtomicInteger();
    String table = "rows_" + isolation;
    execute("CREATE TABLE " + table + " (id text)");
    try (Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true")) {
      TimedQueue<String> queue = punctual.queue(table, Codec.string());
      for (int i = 0; i < SHARED; i++) {
        queue.schedule(Message.of("payload").id("shared-" + i).dueIn(HOUR));
      }
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        ends.add(threads.submit(() -> change(queue, table, thread, isolation, repeated)));
      }
      Random random = new Random(SEED);
      for (int i = 0; i < CALLS; i++) {
        queue
            .async()
            .reschedule(shared(random.nextInt(SHARED)), Due.after(HOUR))
            .handle((outcome, failure) -> outcome)
            .toCompletableFuture()
            .join();
      }
      for (Future<?> end : ends) {
        end.get();
      }
      threads.shutdown();
      System.out.println(repeated + " transactions were repeated, seed " + SEED);
      assertThat(queue.counts().scheduled())
          .as("seed %d", SEED)
          .isEqualTo(SHARED + THREADS * TRANSACTIONS);
      assertThat(count("SELECT count(*) FROM " + table)).isEqualTo(THREADS * TRANSACTIONS);
      assertThat(count("SELECT count(DISTINCT id) FROM " + table))
          .isEqualTo(THREADS * TRANSACTIONS);
    }
  }

  private static String shared(int number) {
    return "shared-" + number;
  }

  private void change(
      TimedQueue<String> queue, String table, int thread, int isolation, AtomicInteger repeated) {
    Random random = new Random(SEED + thread);
    for (int i = 0; i < TRANSACTIONS; i++) {
      int first = random.nextInt(SHARED);
      for (int failures = 1;
          !committed(queue, table, thread + "-" + i, first, isolation);
          failures++) {
        repeated.incrementAndGet();
        pause(random.nextInt(Math.min(failures, 10) * 10));
      }
    }
  }

  /**
   * Gives other transactions time to commit, so that two transactions do not make each other fail
   * forever.
   */
  private static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Runs a transaction that inserts a row, schedules a new message, and changes two shared
   * messages. Returns false if the transaction was rolled back.
   */
  private boolean committed(
      TimedQueue<String> queue, String table, String id, int first, int isolation) {
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      user.connection().setTransactionIsolation(isolation);
      var enlisted = queue.inTransaction(user.transaction());
      try (Statement statement = user.connection().createStatement()) {
        statement.execute("INSERT INTO " + table + " VALUES ('" + id + "')");
      }
      enlisted.runNow(shared(first));
      enlisted.schedule(Message.of("payload").id(id).dueIn(HOUR));
      enlisted.reschedule(shared((first + 1) % SHARED), Due.after(HOUR));
      enlisted.reschedule(shared(first), Due.after(HOUR));
      ((JdbcTransaction) user.transaction()).commit();
      return true;
    } catch (PunctualException | SQLException e) {
      return false;
    }
  }

  private void execute(String sql) throws SQLException {
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl());
        Statement statement = user.connection().createStatement()) {
      boolean unused = statement.execute(sql);
      user.commit();
    }
  }

  private int count(String sql) throws SQLException {
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl());
        Statement statement = user.connection().createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }
}
