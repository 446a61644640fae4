package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.kit.database.PostgresPrograms;
import io.punctual.kit.database.PostgresServer;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.TimeRange;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * While a transaction has an old snapshot, PostgreSQL keeps the index entries of deleted messages.
 * Statements that run often must not read all of them again each time, also if all messages have
 * the same time. The tests count the index entries and rows that the statements read.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OldSnapshotTest {
  private static final int MESSAGES = 3_000;
  private static final int STEP = 50;

  /** The due times of the messages: the milliseconds between two messages. */
  private enum Times {
    EQUAL(0),
    SPREAD(1);

    final int step;

    Times(int step) {
      this.step = step;
    }
  }

  private String queue = "";
  private PostgresServer server;
  private Connection snapshot;

  @BeforeAll
  void startServer() throws Exception {
    Optional<Path> programs = PostgresPrograms.folder();
    assumeTrue(programs.isPresent(), "Name the programs of PostgreSQL by -Dpunctual.postgres.bin");
    server = PostgresServer.builder(programs.orElseThrow()).setting("autovacuum=off").start();
    open().close();
    snapshot = DriverManager.getConnection(server.jdbcUrl());
    snapshot.setAutoCommit(false);
    snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = snapshot.createStatement()) {
      statement.executeQuery("SELECT count(*) FROM punctual_queue").close();
    }
  }

  @BeforeEach
  void chooseQueue() {
    queue = "orders-" + UUID.randomUUID();
  }

  @AfterAll
  void stopServer() throws SQLException {
    if (snapshot != null) {
      snapshot.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private JdbcStore open() {
    return JdbcStoreProvider.open(
        StoreUrl.parse(server.jdbcUrl() + "&createTables=true&listen=false"));
  }

  private interface Steps {
    void run(JdbcStore store, TestCalls calls) throws Exception;
  }

  /** Returns the number of index entries and rows that the steps read. */
  private long reads(Steps steps) throws Exception {
    long before = reads();
    run(steps);
    return reads() - before;
  }

  private void run(Steps steps) throws Exception {
    try (JdbcStore store = open()) {
      steps.run(store, new TestCalls(store, queue));
    }
  }

  /** The server counts the reads of a session at the end of the session. */
  private long reads() throws Exception {
    Awaitility.await()
        .until(
            () ->
                query(
                        "SELECT count(*) FROM pg_stat_activity"
                            + " WHERE backend_type = 'client backend'")
                    == 2);
    return query(
        "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)"
            + " + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)");
  }

  private long query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private void schedule(TestCalls calls, Times times) throws Exception {
    String ids = queue + "-";
    for (int from = 0; from < MESSAGES; from += 1000) {
      List<Operation> batch =
          IntStream.range(from, from + 1000)
              .<Operation>mapToObj(
                  i ->
                      TestCalls.dueAt(
                          ids + (10_000 + i),
                          new DueTime(false, 1_000_000L + (long) times.step * i)))
              .toList();
      calls.call(new Call.Apply(batch, null));
    }
  }

  private static void drain(TestCalls calls) throws Exception {
    drain(calls, STEP);
  }

  private static void drain(TestCalls calls, int step) throws Exception {
    for (int claims = 0; claims < MESSAGES / step; claims++) {
      Reply.Claimed claimed = calls.claim(step);
      assertThat(claimed.messages()).hasSize(step);
      List<Operation> acks =
          claimed.messages().stream()
              .<Operation>map(message -> new Operation.Ack(message.id(), claimed.token()))
              .toList();
      calls.call(new Call.Apply(acks, null));
    }
  }

  /** The bound allows some sweeps. A claim that reads all entries again makes it hundreds. */
  @ParameterizedTest
  @EnumSource
  void claim_ofABacklog_readsEachMessageFewTimes(Times times) throws Exception {
    run((store, calls) -> schedule(calls, times));
    assertThat(reads((store, calls) -> drain(calls))).isLessThan(30L * MESSAGES);
  }

  @ParameterizedTest
  @EnumSource
  void browse_allPages_readsEachMessageOnce(Times times) throws Exception {
    run((store, calls) -> schedule(calls, times));
    expectBrowseReadsEachMessageOnce(false);
    expectBrowseReadsEachMessageOnce(true);
  }

  private void expectBrowseReadsEachMessageOnce(boolean newestFirst) throws Exception {
    EntryQuery query = new EntryQuery(State.READY, TimeRange.ALL, newestFirst, true);
    long reads =
        reads(
            (store, calls) -> {
              String cursor = null;
              int found = 0;
              do {
                EntryPage page = TestCalls.await(calls.partition.browse(query, cursor, STEP));
                found += page.entries().size();
                cursor = page.next();
              } while (cursor != null);
              assertThat(found).isEqualTo(MESSAGES);
            });
    assertThat(reads).isLessThan(4L * MESSAGES);
  }

  @ParameterizedTest
  @EnumSource
  void purge_readsEachMessageFewTimes(Times times) throws Exception {
    run((store, calls) -> schedule(calls, times));
    long reads =
        reads(
            (store, calls) ->
                assertThat(TestCalls.await(calls.partition.purge(Set.of(State.READY))))
                    .isEqualTo(MESSAGES));
    assertThat(reads).isLessThan(8L * MESSAGES);
  }

  /** Each client makes this check once a second. */
  @ParameterizedTest
  @EnumSource
  void untilNext_repeated_doesNotReadDeletedMessagesEachTime(Times times) throws Exception {
    run((store, calls) -> schedule(calls, times));
    run((store, calls) -> drain(calls));
    long reads =
        reads(
            (store, calls) -> {
              for (int i = 0; i < 100; i++) {
                TestCalls.await(store.untilNext(List.of(calls.partition)));
              }
            });
    assertThat(reads).isLessThan(30L * MESSAGES);
  }

  /** A client whose claims find nothing more looks for the next end of a lease. */
  @ParameterizedTest
  @EnumSource
  void claim_ofAnEmptyQueue_doesNotReadDeletedLeasesEachTime(Times times) throws Exception {
    run((store, calls) -> schedule(calls, times));
    run((store, calls) -> drain(calls));
    long reads =
        reads(
            (store, calls) -> {
              for (int i = 0; i < 100; i++) {
                assertThat(calls.claim(STEP).messages()).isEmpty();
              }
            });
    assertThat(reads).isLessThan(50L * MESSAGES);
  }

  /** A claim under a concurrency limit counts the leases. Here, 3,000 leases ended long ago. */
  @Test
  void claim_concurrencyLimit_doesNotReadEndedLeasesEachTime() throws Exception {
    run((store, calls) -> calls.schedule("first"));
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO punctual_message (at_millis, queue_id, attempts, state, cancelled, id,"
              + " content) SELECT 1000, queue_id, 1, 1, false, ('l' || i)::bytea, '' FROM"
              + " punctual_queue, generate_series(1, "
              + MESSAGES
              + ") i");
      statement.execute("DELETE FROM punctual_message");
    }
    long reads =
        reads(
            (store, calls) -> {
              TestCalls.await(calls.partition.limits(QueueLimits.none().concurrency(2)));
              for (int i = 0; i < 100; i++) {
                calls.schedule("x" + i);
                Reply.Claimed claimed = calls.claim(1);
                assertThat(claimed.messages()).hasSize(1);
                calls.apply(new Operation.Ack("x" + i, claimed.token()));
              }
            });
    assertThat(reads).isLessThan(50L * MESSAGES);
  }

  /** Each claim under a rate limit writes the row of the limit. */
  @Test
  void claim_rateLimit_readsFewOldVersionsOfItsRow() throws Exception {
    run(
        (store, calls) -> {
          schedule(calls, Times.SPREAD);
          QueueLimits rate = QueueLimits.none().rate(1_000_000, Duration.ofSeconds(1), 1_000);
          TestCalls.await(calls.partition.limits(rate));
        });
    long reads = reads((store, calls) -> drain(calls, 10));
    assertThat(reads).isLessThan(50L * MESSAGES);
  }

  /** The row has a version for each of 5,000 claims, about 30 pages of them. */
  @Test
  void call_rateLimitOfManyClaims_readsTheNewestVersionOfItsRow() throws Exception {
    run(
        (store, calls) -> {
          schedule(calls, Times.SPREAD);
          QueueLimits rate = QueueLimits.none().rate(1_000_000, Duration.ofSeconds(1), 1_000);
          TestCalls.await(calls.partition.limits(rate));
          // Without these, the test would count the first look at all messages.
          assertThat(calls.claim(STEP).messages()).hasSize(STEP);
          assertThat(calls.claim(STEP).messages()).hasSize(STEP);
        });
    long rare = readsOfClaims();
    long id = query("SELECT queue_id FROM punctual_queue WHERE name = '" + queue + "'");
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
      statement.execute(
          "DO $$ BEGIN FOR i IN 1..5000 LOOP UPDATE punctual_limit SET full_micros = i"
              + " WHERE ctid = (SELECT ctid FROM punctual_limit WHERE queue_id BETWEEN "
              + id
              + " AND "
              + id
              + " ORDER BY queue_id DESC LIMIT 1); COMMIT; END LOOP; END $$");
    }
    assertThat(readsOfClaims()).isLessThan(rare + 2_000);
  }

  private long readsOfClaims() throws Exception {
    return reads(
        (store, calls) -> {
          for (int i = 0; i < 50; i++) {
            assertThat(calls.claim(1).messages()).hasSize(1);
            var unused = TestCalls.await(store.untilNext(List.of(calls.partition)));
          }
        });
  }
}
