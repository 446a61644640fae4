package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.TestServer;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RoleProcess;
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
  private static final int KILLS = 6;
  private static final int TRAINING_ORDERS = 20;

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
    KillPlan plan = KillPlan.ofKills("" + database, KILLS);
    String url = server.jdbcUrl();
    try (Punctual punctual = Punctual.open(url + "&createTables=true");
        KillRun run = new KillRun(folder, url, plan.seed())) {
      KilledApplication.createTables(url);
      run.train(new KilledApplication.Orders(TRAINING_ORDERS));
      long start = System.nanoTime();
      kill(run, plan);
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      System.out.println("Killed " + plan.kills() + " in " + seconds + " s");
      new KilledApplication(url, punctual, line -> {}).work();
      TimedQueue<String> queue = punctual.queue(KilledApplication.QUEUE, Codec.string());
      // Each killed process may leave dozens of messages behind.
      await()
          .atMost(Duration.ofMinutes(2).plusSeconds(2L * plan.kills()))
          .until(() -> isEmpty(queue.counts()));
    }
    expectAgreement(plan);
    assertThat(server.query("SELECT count(*) FROM taken")).isPositive();
    assertThat(server.query("SELECT count(*) - count(DISTINCT id) FROM handled"))
        .as("effects that happened twice, seed %d", plan.seed())
        .isZero();
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() + counts.dead() == 0;
  }

  /**
   * Expects that the three tables agree. Reads them in one snapshot, because the server may still
   * commit transactions of killed processes.
   */
  private void expectAgreement(KillPlan plan) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Set<String> pending = ids(connection, "SELECT id FROM taken");
      Set<String> handled = ids(connection, "SELECT id FROM handled");
      assertThat(pending)
          .as("handled messages of transactions that rolled back, seed %d", plan.seed())
          .containsAll(handled);
      pending.removeAll(handled);
      assertThat(ids(connection, "SELECT id FROM punctual_message"))
          .as("the messages of orders without an effect, seed %d", plan.seed())
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

  private void kill(KillRun run, KillPlan plan) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      for (int done = 0; done < plan.kills(); done += KILLS_BETWEEN_CHECKS) {
        List<Future<?>> kills = new ArrayList<>();
        for (int i = 0; i < Math.min(KILLS_BETWEEN_CHECKS, plan.kills() - done); i++) {
          int most = plan.below(LATE_OF) == 0 ? MOST_LINES : EARLY_LINES;
          int lines = 1 + plan.below(most);
          Duration delay = Duration.ofNanos(1000L * plan.below(MOST_DELAY_MICROS));
          kills.add(threads.submit(() -> kill(run, lines, delay)));
        }
        for (Future<?> kill : kills) {
          kill.get();
        }
        expectAgreement(plan);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Kills a process after it has printed this number of lines and this time has passed. Prints its
   * failures: they break no promise, since the transactions roll back, but may point to a bug.
   */
  private static void kill(KillRun run, int lines, Duration delay) {
    RoleProcess process = run.start(new KilledApplication.Orders(Integer.MAX_VALUE));
    List<String> unused = process.awaitLines(lines);
    run.killAfter(delay, process);
    process
        .process()
        .log()
        .lines()
        .filter(line -> line.startsWith(KilledApplication.FAILURE))
        .forEach(System.out::println);
  }
}
