package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.kit.log.CapturedLog;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that an upgrade of the tables does not stop the processes that run, and that several
 * processes may create the tables at the same time.
 */
final class UpgradeUnderTrafficTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static void execute(String url, String... commands) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  /**
   * Upgrades a table while a transaction has read or changed it, and a client schedules. The log
   * tells about the transaction, no schedule fails, and the upgrade goes on when the transaction
   * ends.
   */
  private static void assertUpgradeWaitsAlone(
      String url, String options, String statement, String blocker) throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (CapturedLog log = new CapturedLog();
        Punctual running = Punctual.open(url + options)) {
      TimedQueue<String> queue = running.queue("orders", Codec.string());
      queue.schedule("first", HOUR);
      execute(
          url,
          "ALTER TABLE punctual_message DROP COLUMN holder",
          "DELETE FROM punctual_schema WHERE version > 4");
      try (Connection report = DriverManager.getConnection(url);
          Statement executed = report.createStatement()) {
        report.setAutoCommit(false);
        executed.execute(statement);
        CompletableFuture<Void> upgrade =
            CompletableFuture.runAsync(() -> Punctual.open(url + options).close(), executor);
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  queue.schedule("meanwhile", HOUR);
                  return !log.linesWith("The upgrade of the tables waits").isEmpty();
                });
        queue.schedule("meanwhile", HOUR);
        assertThat(log.linesWith("The upgrade of the tables waits"))
            .singleElement()
            .asString()
            .contains(blocker);
        assertThat(upgrade).isNotDone();
        report.rollback();
        upgrade.get(1, TimeUnit.MINUTES);
      }
      Punctual.open(url + options.replace("true", "false")).close();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void open_transactionHasReadTheTablesOfPostgres_upgradeNamesItAndStopsNobody() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertUpgradeWaitsAlone(
          server.jdbcUrl() + "&ApplicationName=report",
          "&createTables=true",
          "SELECT count(*) FROM punctual_message",
          "(report, 127.0.0.1), idle in transaction since");
    }
  }

  @Test
  @Tag("extended")
  void open_transactionHasReadTheTablesOfMariaDb_upgradeNamesItAndStopsNobody() throws Exception {
    try (TestServer server = MariaDbServer.shared()) {
      assertUpgradeWaitsAlone(
          server.jdbcUrl(),
          "&createTables=true",
          "SELECT count(*) FROM punctual_message",
          " s, its statement: none, its transaction began at");
    }
  }

  /** Reads of H2 do not keep a table from being changed. */
  @Test
  void open_transactionHasChangedTheTablesOfH2_upgradeNamesItAndStopsNobody() throws Exception {
    assertUpgradeWaitsAlone(
        "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
        "?createTables=true",
        "UPDATE punctual_message SET attempts = attempts",
        "session");
  }

  /** After the first deployment, all processes create the tables. */
  @Test
  void open_manyProcessesCreateTheTablesOfMariaDb_allOpen() throws Exception {
    int processes = 6;
    ExecutorService executor = Executors.newFixedThreadPool(processes);
    try {
      for (int round = 0; round < 4; round++) {
        try (TestServer server = MariaDbServer.shared()) {
          String url = server.jdbcUrl() + "&createTables=true&threads=1";
          List<CompletableFuture<Void>> opened =
              IntStream.range(0, processes)
                  .mapToObj(
                      i -> CompletableFuture.runAsync(() -> Punctual.open(url).close(), executor))
                  .toList();
          for (CompletableFuture<Void> one : opened) {
            one.get(1, TimeUnit.MINUTES);
          }
        }
      }
    } finally {
      executor.shutdownNow();
    }
  }
}
