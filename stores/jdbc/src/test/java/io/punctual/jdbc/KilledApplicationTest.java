package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Processes that are killed before, in and after their commits. A message exists exactly if its
 * transaction committed, and an ack exactly if the row of its handler does. {@code
 * -Dpunctual.kills=1000} sets the number of processes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KilledApplicationTest {
  private static final int KILLS = Integer.getInteger("punctual.kills", 15);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int MOST_LINES = 400;

  /** Each killed process may leave dozens of messages behind. */
  private static final Duration PATIENCE = Duration.ofMinutes(2).plusSeconds(2L * KILLS);

  private PostgresServer server;

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

  @Test
  void killed_aroundItsCommits_rowsAndMessagesAgree() throws Exception {
    String url = server.jdbcUrl();
    try (Punctual punctual = Punctual.open(url + "&createTables=true")) {
      KilledApplication.createTables(url);
      Random random = new Random(SEED);
      for (int i = 0; i < KILLS; i++) {
        killAfter(1 + random.nextInt(MOST_LINES), url);
      }
      new KilledApplication(url, punctual).work();
      TimedQueue<String> queue = punctual.queue(KilledApplication.QUEUE, Codec.string());
      await().atMost(PATIENCE).until(() -> isEmpty(queue.counts()));
    }
    assertThat(count("SELECT count(*) FROM taken")).as("seed %d", SEED).isPositive();
    assertThat(count("SELECT count(*) FROM handled WHERE id NOT IN (SELECT id FROM taken)"))
        .as("messages of transactions that rolled back, seed %d", SEED)
        .isZero();
    assertThat(count("SELECT count(*) FROM taken WHERE id NOT IN (SELECT id FROM handled)"))
        .as("lost messages, seed %d", SEED)
        .isZero();
    assertThat(count("SELECT count(*) - count(DISTINCT id) FROM handled"))
        .as("effects that happened twice, seed %d", SEED)
        .isZero();
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() + counts.dead() == 0;
  }

  private static void killAfter(int lines, String url) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledApplication.class.getName(),
                url)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (int i = 0; i < lines; i++) {
        assertThat(output.readLine()).as("the process runs").isNotNull();
      }
    } finally {
      process.destroyForcibly();
    }
    process.waitFor();
  }

  private int count(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }
}
