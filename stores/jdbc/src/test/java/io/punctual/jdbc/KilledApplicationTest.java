package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests processes that are killed before, during and after their commits. A message must exist
 * exactly if the transaction that scheduled it was committed. It must be acked exactly if the
 * transaction of its handler was committed. {@code -Dpunctual.kills=1000} sets the number of
 * processes on each database, {@code -Dpunctual.database=MARIADB} chooses a database, and {@code
 * -Dpunctual.seed=N} repeats the random choices of a run.
 */
@Tag("extended")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass
@EnumSource
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class KilledApplicationTest {
  private static final int KILLS = Integer.getInteger("punctual.kills", 6);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());

  /** The number of processes that run at the same time. They claim each other's messages. */
  private static final int AT_ONCE = 3;

  /**
   * The maximum number of printed lines before most kills. One in {@link #LATE_OF} kills can come
   * later, after up to {@link #MOST_LINES} lines.
   */
  private static final int EARLY_LINES = 60;

  private static final int MOST_LINES = 400;
  private static final int LATE_OF = 5;

  /**
   * The maximum delay of a kill after a line, in microseconds. A commit takes about this time, so
   * kills occur in all parts of a commit.
   */
  private static final int MOST_DELAY_MICROS = 3_000;

  private static final int KILLS_BETWEEN_CHECKS = 20;

  /**
   * The timeout for the remaining messages. Each killed process may leave dozens of messages
   * behind.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(2).plusSeconds(2L * KILLS);

  @Parameter private TestDatabase database;
  private TestServer server;

  @BeforeParameterizedClassInvocation
  void startServer() {
    server = database.start();
  }

  @AfterParameterizedClassInvocation
  void stopServer() {
    if (server != null) {
      server.close();
      // The test of the next database uses the same object, but its server may not be installed.
      server = null;
    }
  }

  @Test
  void killed_aroundItsCommits_rowsAndMessagesAgree(@TempDir Path folder) throws Exception {
    System.out.println(KILLS + " kills on " + database + ": -Dpunctual.seed=" + SEED);
    String url = server.jdbcUrl();
    try (Punctual punctual = Punctual.open(url + "&createTables=true")) {
      KilledApplication.createTables(url);
      KilledProcesses processes = new KilledProcesses(folder, url);
      long start = System.nanoTime();
      kill(processes);
      System.out.println(
          "Killed "
              + KILLS
              + " in "
              + Duration.ofNanos(System.nanoTime() - start).toSeconds()
              + " s");
      new KilledApplication(url, punctual, line -> {}).work();
      TimedQueue<String> queue = punctual.queue(KilledApplication.QUEUE, Codec.string());
      await().atMost(PATIENCE).until(() -> isEmpty(queue.counts()));
    }
    expectAgreement();
    assertThat(server.query("SELECT count(*) FROM taken")).isPositive();
    assertThat(server.query("SELECT count(*) - count(DISTINCT id) FROM handled"))
        .as("effects that happened twice, seed %d", SEED)
        .isZero();
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() + counts.dead() == 0;
  }

  /**
   * Expects that the three tables agree. Reads them in one snapshot, because the server may still
   * commit transactions of killed processes.
   */
  private void expectAgreement() throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Set<String> pending = ids(connection, "SELECT id FROM taken");
      Set<String> handled = ids(connection, "SELECT id FROM handled");
      assertThat(pending)
          .as("handled messages of transactions that rolled back, seed %d", SEED)
          .containsAll(handled);
      pending.removeAll(handled);
      assertThat(ids(connection, "SELECT id FROM punctual_message"))
          .as("the messages of orders without an effect, seed %d", SEED)
          .isEqualTo(pending);
      connection.rollback();
    }
  }

  private static Set<String> ids(Connection connection, String sql) throws SQLException {
    Set<String> ids = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        ids.add(new String(rows.getBytes(1), StandardCharsets.UTF_8));
      }
    }
    return ids;
  }

  private void kill(KilledProcesses processes) throws Exception {
    Random random = new Random(SEED);
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      for (int done = 0; done < KILLS; done += KILLS_BETWEEN_CHECKS) {
        List<Future<?>> kills = new ArrayList<>();
        for (int i = 0; i < Math.min(KILLS_BETWEEN_CHECKS, KILLS - done); i++) {
          int most = random.nextInt(LATE_OF) == 0 ? MOST_LINES : EARLY_LINES;
          int lines = 1 + random.nextInt(most);
          Duration delay = Duration.ofNanos(1000L * random.nextInt(MOST_DELAY_MICROS));
          kills.add(
              threads.submit(
                  () -> {
                    processes.kill(lines, delay);
                    return null;
                  }));
        }
        for (Future<?> kill : kills) {
          kill.get();
        }
        expectAgreement();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
