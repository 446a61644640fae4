package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.PAST;
import static io.punctual.jdbc.TestCalls.await;
import static io.punctual.jdbc.TestCalls.dueAt;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the threads that all queues of a store share. */
final class SharedThreadsTest {
  private final JdbcDataSource database = new JdbcDataSource();
  private JdbcStore store;

  @BeforeEach
  void open() {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    store = openStore();
  }

  private JdbcStore openStore() {
    return JdbcStore.builder().dataSource(database).threads(1).createTables(true).open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void call_purgesOfOtherQueuesAreStuck_isAnswered() throws Exception {
    TestCalls first = new TestCalls(store, "first");
    TestCalls second = new TestCalls(store, "second");
    first.schedule("a");
    second.schedule("a");
    try (Connection holder = lock("first", "second")) {
      CompletionStage<Long> firstPurge = first.partition.purge(Set.of(State.READY));
      CompletionStage<Long> secondPurge = second.partition.purge(Set.of(State.READY));
      assertThat(new TestCalls(store, "orders").schedule("b"))
          .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null));
      holder.rollback();
      assertThat(await(firstPurge)).isOne();
      assertThat(await(secondPurge)).isOne();
    }
  }

  /** The purge has several steps, and the look-up must run before the last of them. */
  @Test
  void find_purgeIsInProgress_runsBetweenItsSteps() throws Exception {
    TestCalls purged = new TestCalls(store, "purged");
    TestCalls stuck = new TestCalls(store, "stuck");
    stuck.schedule("a");
    for (int call = 0; call < 3; call++) {
      purged.call(new Call.Apply(thousand(call), null));
    }
    BlockingQueue<String> ended = new LinkedBlockingQueue<>();
    try (Connection holder = lock("stuck");
        Connection purgedHolder = lock("purged")) {
      CompletionStage<Long> stuckPurge = stuck.partition.purge(Set.of(State.READY));
      CompletionStage<Long> purge = purged.partition.purge(Set.of(State.READY));
      var unused = purge.thenRun(() -> ended.add("purge"));
      var unused2 = purged.partition.find("0").thenRun(() -> ended.add("find"));
      purgedHolder.rollback();
      assertThat(await(purge)).isEqualTo(3 * Partition.MAX_OPERATIONS);
      assertThat(ended.take()).isEqualTo("find");
      holder.rollback();
      assertThat(await(stuckPurge)).isOne();
    }
  }

  private static List<Operation> thousand(int call) {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < Partition.MAX_OPERATIONS; i++) {
      operations.add(dueAt(String.valueOf(call * Partition.MAX_OPERATIONS + i), PAST));
    }
    return operations;
  }

  /** Locks the rows of queues, so that the calls and purges of these queues wait. */
  private Connection lock(String... queues) throws SQLException {
    Connection connection = database.getConnection();
    connection.setAutoCommit(false);
    for (String queue : queues) {
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT 1 FROM punctual_queue WHERE name = ? FOR UPDATE")) {
        statement.setString(1, queue);
        assertThat(statement.executeQuery().next()).isTrue();
      }
    }
    return connection;
  }
}
