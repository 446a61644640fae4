package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.log.CapturedLog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests H2 in a file, which the usual file system of H2 closes at an interrupt. */
final class H2FileTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** So many statements take longer than the time-out of the handlers. */
  private static final int STATEMENTS = 200;

  @TempDir private Path folder;

  private static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  @Tag("extended")
  void work_handlersAreInterruptedWhileTheyUseTheFile_loseNothing() throws Exception {
    String path = folder + "/shop";
    try (Punctual punctual = Punctual.open("jdbc:h2:" + path + "?createTables=true");
        Connection setup = connect("jdbc:h2:async:" + path)) {
      execute(setup, "CREATE TABLE t (id IDENTITY, x VARCHAR(20000))");
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      AtomicInteger ended = new AtomicInteger();
      queue.work(
          WorkerOptions.builder()
              .concurrency(2)
              .handlerTimeout(Duration.ofMillis(20))
              .retryPolicy(RetryPolicy.never())
              .build(),
          delivery -> {
            try (Connection connection = connect("jdbc:h2:async:" + path)) {
              // H2 does not always keep the interrupt.
              for (int i = 0; i < STATEMENTS && !Thread.currentThread().isInterrupted(); i++) {
                execute(connection, "INSERT INTO t (x) VALUES (REPEAT('y', 15000))");
                execute(connection, "CHECKPOINT SYNC");
              }
            } finally {
              ended.incrementAndGet();
            }
          });
      for (int i = 0; i < 6; i++) {
        queue.schedule("order " + i, Duration.ZERO);
      }
      await().atMost(PATIENCE).until(() -> ended.get() == 6);
      queue.schedule("later", HOUR);
      assertThat(queue.counts().scheduled()).isEqualTo(1);
    }
    try (Punctual punctual = Punctual.open("jdbc:h2:" + path)) {
      assertThat(punctual.queue("orders", Codec.string()).counts().scheduled()).isEqualTo(1);
    }
  }

  /** H2 does not open a file in two ways at a time. */
  @Test
  void open_processHasOpenedTheFileInTheUsualWay_worksWithAWarning() throws Exception {
    String url = "jdbc:h2:" + folder + "/shop";
    try (CapturedLog log = new CapturedLog();
        Connection application = connect(url);
        Punctual punctual = Punctual.open(url + "?createTables=true")) {
      punctual.queue("orders", Codec.string()).schedule("order", HOUR);
      execute(application, "SELECT * FROM punctual_message");
      assertThat(log.linesWith("Write the URL as jdbc:h2:async:" + folder)).hasSize(1);
    }
  }

  @Test
  void open_dataSourceOfAFileThatAnInterruptCloses_warns() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:" + folder + "/shop");
    try (CapturedLog log = new CapturedLog();
        JdbcStore store = JdbcStore.builder().dataSource(source).createTables(true).open()) {
      assertThat(store.describe()).startsWith("jdbc:h2:");
      assertThat(log.linesWith("Write the URL as jdbc:h2:async:" + folder)).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:h2:./a;X=1, jdbc:h2:async:./a;X=1",
    "jdbc:h2:~/a, jdbc:h2:async:~/a",
    "jdbc:h2:/a/b, jdbc:h2:async:/a/b",
    "jdbc:h2:file:/a/b, jdbc:h2:async:/a/b",
    "jdbc:h2:file:C:/a, jdbc:h2:async:C:/a",
    "jdbc:h2:C:/a, jdbc:h2:async:C:/a",
    "jdbc:h2:nio:/a, jdbc:h2:async:/a",
    "jdbc:h2:async:/a,",
    "jdbc:h2:file:async:/a,",
    "jdbc:h2:retry:/a,",
    "jdbc:h2:mem:a,",
    "jdbc:h2:tcp://localhost/~/a,",
    "jdbc:h2:ssl://localhost/~/a,",
    "jdbc:postgresql://localhost/a,"
  })
  void safe_eachFormOfAUrl_changesFilesOnly(String url, String safe) {
    assertThat(H2Urls.safe(url).orElse(null)).isEqualTo(safe);
  }
}
