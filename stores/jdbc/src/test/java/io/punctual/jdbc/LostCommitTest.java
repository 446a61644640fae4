package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.PAST;
import static io.punctual.jdbc.TestCalls.await;
import static io.punctual.jdbc.TestCalls.dueAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests connections that break during a commit, before or after the database has committed. */
final class LostCommitTest {
  private final JdbcDataSource database = new JdbcDataSource();
  private volatile Fault fault = Fault.NONE;
  private volatile boolean failsToClose;

  /** The exception with which all connections of the store fail; null while they work. */
  private volatile Exception away;

  /** The value that {@link #away} gets when the connection breaks. */
  private volatile Exception afterFault;

  /** Whether a connection of the store has failed with {@link #away}. */
  private volatile boolean looked;

  private JdbcStore store;
  private TestCalls calls;

  enum Fault {
    NONE,
    BEFORE_COMMIT,
    AFTER_COMMIT
  }

  @BeforeEach
  void open() throws Exception {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    store = JdbcStore.builder().dataSource(breaking(database)).createTables(true).open();
    calls = new TestCalls(store, "orders");
    // The first call is followed by the deletion of expired ids, and the second waits for its end.
    for (int i = 0; i < 2; i++) {
      Reply unused = calls.call(new Call.Apply(List.of(), null));
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void schedule_connectionBreaks_isStoredOnceAndAnsweredAsStored(Fault broken) throws Exception {
    fault = broken;
    assertThat(calls.schedule("a"))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null));
    assertThat(await(calls.partition.counts()))
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(0, 1, 0, 0, 0, false));
    assertThat(fault).isEqualTo(Fault.NONE);
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void claim_connectionBreaks_eachMessageIsClaimedOnce(Fault broken) throws Exception {
    scheduleAlone();
    fault = broken;
    Reply.Claimed claimed = calls.claim(10);
    if (claimed.messages().isEmpty()) {
      assertThat(claimed.untilNextMicros()).isZero();
      claimed = calls.claim(10);
    }
    assertThat(claimed.messages()).extracting(Reply.Leased::attempt).containsExactly(1);
    fault = broken;
    assertThat(calls.apply(new Operation.Ack("a", claimed.token())))
        .isEqualTo(new Outcome.OfSettlement(SettleOutcome.DONE));
    assertThat(await(calls.partition.counts()))
        .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void claimAtMostOnce_connectionBreaks_eachMessageIsTakenOnce(Fault broken) throws Exception {
    scheduleAlone();
    fault = broken;
    Call.Claim take = new Call.Claim(10, 60_000, true);
    Reply.Claimed taken = (Reply.Claimed) calls.call(take);
    assertThat(taken.messages()).extracting(Reply.Leased::id).containsExactly("a");
    assertThat(fault).isEqualTo(Fault.NONE);
    Reply.Claimed again = (Reply.Claimed) await(calls.repeat(take));
    assertThat(again.messages())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyElementsOf(taken.messages());
    assertThat(calls.claim(10).messages()).isEmpty();
  }

  @Test
  void claimAtMostOnce_repliesLostForALongTime_repeatsItsMessages() throws Exception {
    scheduleAlone();
    fault = Fault.AFTER_COMMIT;
    afterFault = new IllegalStateException();
    Call.Claim take = new Call.Claim(10, 1, true);
    CompletableFuture<Reply> lost = calls.begin(take);
    assertThatThrownBy(() -> await(lost)).isInstanceOf(ExecutionException.class);
    away = null;
    assertThat(await(calls.partition.counts()))
        .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
    Reply.Claimed taken = (Reply.Claimed) await(calls.repeat(take));
    assertThat(taken.messages()).extracting(Reply.Leased::id).containsExactly("a");
  }

  @Test
  void schedule_connectionFailsToClose_isStoredOnce() throws Exception {
    failsToClose = true;
    assertThat(calls.schedule("a"))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null));
    assertThat(await(calls.partition.counts()))
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(0, 1, 0, 0, 0, false));
    failsToClose = false;
  }

  /**
   * After a lost reply, a session can report the outcomes of a call's operations as unknown. The
   * session then repeats the call without operations, and the store must not execute the earlier
   * operations.
   */
  @Test
  void repetition_emptiedAfterARolledBackCommit_doesNotMakeTheOldOperations() throws Exception {
    CompletableFuture<Reply> lost = loseCommit(Fault.BEFORE_COMMIT, new IllegalStateException());
    assertThatThrownBy(() -> await(lost))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isNotInstanceOf(Partition.NotSentException.class);
    away = null;
    Reply.Applied empty = (Reply.Applied) await(calls.repeat(new Call.Apply(List.of(), null)));
    assertThat(empty.outcomes()).isEmpty();
    assertThat(await(calls.partition.counts()))
        .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
  }

  /**
   * A second session of the same partition sends calls between the lost commit and the repeated
   * call.
   */
  @Test
  void repetition_otherSessionBusyInBetween_recognizesTheCommit() throws Exception {
    CompletableFuture<Reply> lost = loseCommit(Fault.AFTER_COMMIT, new IllegalStateException());
    assertThatThrownBy(() -> await(lost)).isInstanceOf(ExecutionException.class);
    away = null;
    TestCalls second = new TestCalls(store, "orders");
    Reply.Claimed claimed = second.claim(1);
    second.apply(new Operation.Ack("a", claimed.token()));
    await(calls.repeat(scheduleA()));
    assertThat(await(calls.partition.counts()))
        .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
  }

  @Test
  void close_callIsUndecided_doesNotMakeItAgain() throws Exception {
    CompletableFuture<Reply> lost = loseCommit(Fault.AFTER_COMMIT, new SQLException("", "08001"));
    await().atMost(Duration.ofMinutes(1)).until(() -> looked);
    store.close();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("DELETE FROM punctual_message")).isOne();
      away = null;
      await().atMost(Duration.ofMinutes(1)).until(lost::isDone);
      assertThat(statement.executeUpdate("DELETE FROM punctual_message")).isZero();
      assertThat(statement.executeUpdate("DELETE FROM punctual_call WHERE call_number > 0"))
          .isOne();
    }
  }

  /**
   * Schedules a message, and waits for the transaction behind this call that forgets expired ids:
   * the fault must not break its commit.
   */
  private void scheduleAlone() throws Exception {
    calls.schedule("a");
    calls.call(new Call.Apply(List.of(), null));
  }

  private CompletableFuture<Reply> loseCommit(Fault broken, Exception unreachable) {
    fault = broken;
    afterFault = unreachable;
    return calls.begin(scheduleA());
  }

  private static Call.Apply scheduleA() {
    return new Call.Apply(List.of(dueAt("a", PAST)), null);
  }

  private DataSource breaking(DataSource source) {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              failIfAway();
              Object result = method.invoke(source, arguments);
              return result instanceof Connection connection ? breaking(connection) : result;
            });
  }

  /** Throws {@link #away} on the store's threads. The threads of the test can still connect. */
  private void failIfAway() throws Exception {
    Exception failure = away;
    if (failure != null && Thread.currentThread().getName().startsWith("punctual-jdbc")) {
      looked = true;
      throw failure;
    }
  }

  private Connection breaking(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (!Set.of("abort", "close").contains(method.getName())) {
                failIfAway();
              }
              if (method.getName().equals("commit")) {
                breakCommit(connection);
              }
              try {
                Object result = method.invoke(connection, arguments);
                if (failsToClose && method.getName().equals("close")) {
                  throw new SQLException("The connection broke", "08006");
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void breakCommit(Connection connection) throws SQLException {
    Fault now = fault;
    fault = Fault.NONE;
    if (now == Fault.NONE) {
      return;
    }
    if (now == Fault.AFTER_COMMIT) {
      connection.commit();
    } else {
      connection.rollback();
    }
    away = afterFault;
    throw new SQLException("The connection broke during a commit", "08006");
  }
}
