package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.State;
import io.punctual.kit.database.PostgresPrograms;
import io.punctual.kit.database.PostgresServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL analyzes its tables from time to time. If the table of messages is empty at that
 * moment, the planner expects few messages until the next analysis. Statements must still find
 * their rows by the index that fits, instead of reading the whole queue.
 */
final class OldStatisticsTest {
  private static final int MESSAGES = 3_000;
  private static final int STEP = 50;

  /**
   * The maximum number of rows and index entries that the calls may read for each message. They
   * read about 10; with the wrong index, hundreds.
   */
  private static final int READS = 40;

  private PostgresServer server;

  @BeforeEach
  void startServer() throws Exception {
    Optional<Path> programs = PostgresPrograms.folder();
    assumeTrue(programs.isPresent(), "Name the programs of PostgreSQL by -Dpunctual.postgres.bin");
    server = PostgresServer.builder(programs.orElseThrow()).setting("autovacuum=off").start();
  }

  @AfterEach
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  private JdbcStore open() {
    return JdbcStoreProvider.open(StoreUrl.parse(server.jdbcUrl() + "&createTables=true"));
  }

  private static void fill(TestCalls calls, int messages) throws Exception {
    for (int from = 0; from < messages; from += 1000) {
      List<Operation> batch =
          IntStream.range(from, from + 1000)
              .<Operation>mapToObj(i -> TestCalls.dueAt("m" + i, TestCalls.PAST))
              .toList();
      calls.call(new Call.Apply(batch, null));
    }
  }

  private void drain() throws Exception {
    try (JdbcStore store = open()) {
      TestCalls calls = new TestCalls(store, "orders");
      fill(calls, MESSAGES);
      for (int claims = 0; claims < MESSAGES / STEP; claims++) {
        Reply.Claimed claimed = calls.claim(STEP);
        assertThat(claimed.messages()).hasSize(STEP);
        List<Operation> acks =
            claimed.messages().stream()
                .<Operation>map(message -> new Operation.Ack(message.id(), claimed.token()))
                .toList();
        calls.call(new Call.Apply(acks, null));
        TestCalls.await(calls.partition.browse(State.READY, null, 1));
        TestCalls.await(store.untilNext(List.of(calls.partition)));
      }
    }
  }

  private long query(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Returns the number of rows and index entries that were read. The server counts the reads of a
   * session at the end of the session.
   */
  private long reads() {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                query(
                        "SELECT count(*) FROM pg_stat_activity"
                            + " WHERE backend_type = 'client backend'")
                    == 1);
    try {
      return query(
          "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)"
              + " + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Tag("extended")
  void claims_tableWasEmptyWhenAnalyzed_readByTheRightIndex() throws Exception {
    drain();
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE");
    }
    long before = reads();
    drain();
    assertThat(reads() - before).isLessThan((long) READS * MESSAGES);
  }

  /** The queue could be one of millions of messages, whose dead rows no vacuum has removed yet. */
  @Test
  void countsOfManyQueues_readNoDeadRowsOfAnotherQueue() throws Exception {
    int dead = 20_000;
    List<String> queues = IntStream.range(0, 100).mapToObj(i -> "q" + i).toList();
    try (JdbcStore store = open()) {
      fill(new TestCalls(store, "drained"), dead);
      server.execute("ANALYZE");
      server.execute("DELETE FROM punctual_message");
      for (String queue : queues) {
        new TestCalls(store, queue).schedule("m");
      }
    }
    long before = reads();
    try (JdbcStore store = open()) {
      assertThat(TestCalls.await(store.counts(queues)))
          .allMatch(each -> each.counts().ready() + each.counts().scheduled() == 1);
    }
    assertThat(reads() - before).isLessThan(dead / 2);
  }
}
