package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection breaks during a commit, before or after the database has carried it out. */
final class LostCommitTest {
  private static final DueTime PAST = new DueTime(false, 0);

  private final JdbcDataSource database = new JdbcDataSource();
  private volatile Fault fault = Fault.NONE;
  private volatile boolean failsToClose;
  private JdbcStore store;
  private Partition partition;
  private long number;

  enum Fault {
    NONE,
    BEFORE_COMMIT,
    AFTER_COMMIT
  }

  @BeforeEach
  void open() throws Exception {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    store = JdbcStore.builder().dataSource(breaking(database)).createTables(true).open();
    partition = await(store.partitions("orders")).get(0);
    await(partition.openSession("session", null));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void schedule_connectionBreaks_isStoredOnceAndAnsweredAsStored(Fault broken) throws Exception {
    fault = broken;
    assertThat(schedule("a"))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null));
    assertThat(await(partition.counts())).isEqualTo(new PartitionCounts(0, 1, 0, 0, false));
    assertThat(fault).isEqualTo(Fault.NONE);
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void claim_connectionBreaks_eachMessageIsClaimedOnce(Fault broken) throws Exception {
    schedule("a");
    fault = broken;
    Reply.Claimed claimed = (Reply.Claimed) call(new Call.Claim(10, 60_000));
    if (claimed.messages().isEmpty()) {
      assertThat(claimed.untilNextMicros()).isZero();
      claimed = (Reply.Claimed) call(new Call.Claim(10, 60_000));
    }
    assertThat(claimed.messages()).extracting(Reply.Leased::attempt).containsExactly(1);
    fault = broken;
    assertThat(apply(new Operation.Ack("a", claimed.token())))
        .isEqualTo(new Outcome.OfSettlement(SettleOutcome.DONE));
    assertThat(await(partition.counts())).isEqualTo(new PartitionCounts(0, 0, 0, 0, false));
  }

  @Test
  void schedule_connectionFailsToClose_isStoredOnce() throws Exception {
    failsToClose = true;
    assertThat(schedule("a"))
        .isEqualTo(new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null));
    assertThat(await(partition.counts())).isEqualTo(new PartitionCounts(0, 1, 0, 0, false));
    failsToClose = false;
  }

  private Outcome schedule(String id) throws Exception {
    return apply(new Operation.Schedule(id, PAST, IfPresent.KEEP, Content.of(new byte[] {1})));
  }

  private Outcome apply(Operation operation) throws Exception {
    return ((Reply.Applied) call(new Call.Apply(List.of(operation), null))).outcomes().get(0);
  }

  private Reply call(Call.Body body) throws Exception {
    number++;
    return await(partition.call(new Call("session", number, number, body, false)));
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private DataSource breaking(DataSource source) {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              Object result = method.invoke(source, arguments);
              return result instanceof Connection connection ? breaking(connection) : result;
            });
  }

  private Connection breaking(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
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
    throw new SQLException("The connection broke during a commit", "08006");
  }
}
