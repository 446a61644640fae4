package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.BatchException;
import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.LeaseLostException;
import io.punctual.LockedByTransactionException;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests changes of a queue in transactions of the application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass
@EnumSource
final class TransactionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Parameter private TestDatabase database;
  private TestServer server;
  private Punctual punctual;
  private TimedQueue<String> queue;

  @BeforeParameterizedClassInvocation
  void startServer() throws SQLException {
    server = database.shared();
    try (JdbcUserTransaction user = begin()) {
      execute(user.connection(), "CREATE TABLE effects (id varchar(36) NOT NULL)");
      user.commit();
    }
  }

  @AfterParameterizedClassInvocation
  void stopServer() {
    if (server != null) {
      server.close();
      // The test of the next database uses the same object, but its server may not be installed.
      server = null;
    }
  }

  @BeforeEach
  void open() {
    punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
    queue = punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private JdbcUserTransaction begin() throws SQLException {
    return new JdbcUserTransaction(server.jdbcUrl());
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private long effects(String id) throws SQLException {
    return server.query("SELECT count(*) FROM effects WHERE id = '" + id + "'");
  }

  private static Message<String> message(String id) {
    return Message.of("payload").id(id).dueIn(HOUR);
  }

  @Test
  void changes_transactionCommits_takeEffectTogether() throws SQLException {
    queue.schedule(message("cancelled"));
    queue.schedule(message("moved"));
    try (JdbcUserTransaction user = begin()) {
      var enlisted = queue.inTransaction(user.transaction());
      Scheduled scheduled = enlisted.schedule(message("new"));
      assertThat(scheduled.outcome()).isEqualTo(ScheduleOutcome.STORED);
      assertThat(enlisted.cancel("cancelled")).isEqualTo(CancelOutcome.CANCELLED);
      assertThat(enlisted.runNow("moved")).isEqualTo(RescheduleOutcome.RESCHEDULED);
      assertThat(queue.find("new")).isEmpty();
      assertThat(queue.find("cancelled")).isPresent();
      user.commit();
    }
    assertThat(queue.find("new")).isPresent();
    assertThat(queue.find("cancelled")).isEmpty();
    assertThat(queue.find("moved").orElseThrow().state()).isEqualTo(State.READY);
  }

  @Test
  void schedule_rolledBack_isAbsent() throws SQLException {
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).schedule(message("a"));
    }
    assertThat(queue.find("a")).isEmpty();
  }

  @Test
  void schedule_rolledBackToSavepoint_onlyEarlierMessagesExist() throws SQLException {
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).schedule(message("before"));
      Savepoint savepoint = user.connection().setSavepoint();
      queue.inTransaction(user.transaction()).schedule(message("after"));
      user.connection().rollback(savepoint);
      user.commit();
    }
    assertThat(queue.find("before")).isPresent();
    assertThat(queue.find("after")).isEmpty();
  }

  @Test
  void schedule_connectionCommitsEachStatement_isRefused() throws SQLException {
    try (JdbcUserTransaction user = begin()) {
      user.connection().setAutoCommit(true);
      assertThatThrownBy(() -> queue.inTransaction(user.transaction()).schedule(message("a")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
      user.connection().setAutoCommit(false);
    }
  }

  /**
   * Creates the queue without a message. A transaction on a busy machine may create a new queue
   * itself, and other clients then wait for its end.
   */
  private void createQueue() {
    queue.pause();
    queue.resume();
  }

  @Test
  void call_namesAMessageOfAnOpenTransaction_onlyItsOperationIsBusy() throws SQLException {
    createQueue();
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).schedule(message("locked"));
      List<CompletableFuture<Scheduled>> others = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        others.add(queue.async().schedule(message("free-" + i)).toCompletableFuture());
      }
      assertThatThrownBy(
              () -> queue.async().schedule(message("locked")).toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LockedByTransactionException.class);
      others.forEach(other -> assertThat(other.join().outcome()).isEqualTo(ScheduleOutcome.STORED));
      assertThatThrownBy(() -> queue.scheduleAll(List.of(message("b"), message("locked"))))
          .isInstanceOf(BatchException.class)
          .hasCauseInstanceOf(LockedByTransactionException.class)
          .hasMessageContaining("'locked'");
      assertThat(queue.find("b")).isPresent();
      user.commit();
    }
    assertThat(queue.schedule(message("locked")).outcome()).isEqualTo(ScheduleOutcome.KEPT);
  }

  @Test
  void deleteQueue_openTransactionHasScheduled_isNotEmpty() throws SQLException {
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).schedule(message("a"));
      assertThat(punctual.deleteQueue(queue.name())).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      user.commit();
    }
    assertThat(queue.find("a")).isPresent();
  }

  /**
   * In some handlers the transaction is rolled back, some throw after the commit, and the rest
   * succeed.
   */
  @Test
  @Tag("extended")
  void ackInTransaction_withTheHandlersRow_takesEffectExactlyOnce() throws Exception {
    int messages = 60;
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch committed = new CountDownLatch(messages);
    WorkerOptions options =
        WorkerOptions.builder().concurrency(4).lease(Duration.ofSeconds(10)).build();
    for (int i = 0; i < messages; i++) {
      queue.schedule(Message.of("payload").id("once-" + i).dueIn(Duration.ZERO));
    }
    queue.work(
        options,
        delivery -> {
          int run = runs.incrementAndGet();
          try (JdbcUserTransaction user = begin()) {
            insertAndAck(user, delivery);
            if (run % 3 == 0 && delivery.attempt() == 1) {
              throw new IllegalStateException("The handler failed before the commit");
            }
            user.commit();
            committed.countDown();
          }
          if (run % 5 == 0) {
            throw new IllegalStateException("The handler failed after the commit");
          }
        });
    assertThat(committed.await(60, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < messages; i++) {
      assertThat(effects("once-" + i)).isEqualTo(1);
      assertThat(queue.find("once-" + i)).isEmpty();
    }
  }

  private static void insertAndAck(JdbcUserTransaction user, Delivery<?> delivery)
      throws SQLException {
    execute(user.connection(), "INSERT INTO effects VALUES ('" + delivery.id() + "')");
    delivery.ack(user.transaction());
  }

  @Test
  void ackInTransaction_leaseIsLost_throwsSoThatTheTransactionRollsBack() throws SQLException {
    queue.schedule(Message.of("payload").id("lost").dueIn(Duration.ZERO));
    Delivery<String> delivery =
        queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
    assertThat(queue.purge(EnumSet.allOf(State.class))).isEqualTo(1);
    try (JdbcUserTransaction user = begin()) {
      assertThatThrownBy(() -> insertAndAck(user, delivery))
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("'lost'");
    }
    assertThat(effects("lost")).isZero();
    assertThat(delivery.isLost()).isTrue();
  }

  @Test
  void ackInTransaction_secondSettlement_isRefused() throws SQLException {
    queue.schedule(Message.of("payload").id("twice").dueIn(Duration.ZERO));
    Delivery<String> delivery =
        queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
    try (JdbcUserTransaction user = begin()) {
      delivery.ack(user.transaction());
      assertThatThrownBy(delivery::ack).isInstanceOf(IllegalStateException.class);
      user.commit();
    }
    assertThat(delivery.isSettled()).isTrue();
    assertThat(queue.find("twice")).isEmpty();
  }

  @Test
  void ackInTransaction_repeatedAfterARollback_takesEffect() throws SQLException {
    queue.schedule(Message.of("payload").id("repeated").dueIn(Duration.ZERO));
    Delivery<String> delivery =
        queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
    try (JdbcUserTransaction rolledBack = begin()) {
      insertAndAck(rolledBack, delivery);
    }
    try (JdbcUserTransaction user = begin()) {
      insertAndAck(user, delivery);
      user.commit();
    }
    assertThat(effects("repeated")).isEqualTo(1);
    assertThat(queue.find("repeated")).isEmpty();
  }

  @Test
  void ack_openTransactionHasTheMessageLocked_isRepeatedUntilItEnds() throws SQLException {
    queue.schedule(Message.of("payload").id("locked").dueIn(Duration.ZERO));
    Delivery<String> delivery =
        queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
    CompletableFuture<SettleOutcome> ack;
    try (JdbcUserTransaction user = begin()) {
      assertThat(queue.inTransaction(user.transaction()).cancel("locked"))
          .isEqualTo(CancelOutcome.RUNNING);
      ack = delivery.async().ack().toCompletableFuture();
      // The call tries at least twice in vain to lock the message before the transaction ends.
      for (int waits = 0; waits < 2; waits++) {
        server.awaitRefusedLock();
      }
    }
    assertThat(ack.join()).isEqualTo(SettleOutcome.DONE);
    assertThat(queue.find("locked")).isEmpty();
  }

  @Test
  void call_namesManyMessagesOfAnOpenTransaction_endsSoon() throws SQLException {
    createQueue();
    List<Message<String>> messages = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      messages.add(message("many-" + i));
    }
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).scheduleAll(messages);
      // If the store waited for each message separately, it would take twenty seconds, and the call
      // would end with a time-out.
      TimedQueue<String> patient = queue.withTimeout(Duration.ofSeconds(15));
      assertThatThrownBy(() -> patient.scheduleAll(messages))
          .isInstanceOf(LockedByTransactionException.class);
      user.commit();
    }
    assertThat(queue.counts().scheduled()).isEqualTo(1000);
  }

  @Test
  void buryAndRetryInTransaction_committed_takeEffect() throws SQLException {
    queue.schedule(Message.of("payload").id("buried").dueIn(Duration.ZERO));
    queue.schedule(Message.of("payload").id("retried").dueIn(Duration.ZERO));
    List<Delivery<String>> deliveries = new ArrayList<>();
    while (deliveries.size() < 2) {
      deliveries.addAll(
          queue.claim(2, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))));
    }
    try (JdbcUserTransaction user = begin()) {
      for (Delivery<String> delivery : deliveries) {
        if (delivery.id().equals("buried")) {
          delivery.bury(user.transaction(), "broken");
        } else {
          delivery.retry(user.transaction(), HOUR, "later");
        }
      }
      user.commit();
    }
    assertThat(queue.find("buried").orElseThrow().state()).isEqualTo(State.DEAD);
    assertThat(queue.find("retried").orElseThrow().state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void schedule_dueNow_reachesAWaitingWorkerAfterTheCommit() throws Exception {
    CountDownLatch delivered = new CountDownLatch(1);
    queue.work(delivery -> delivered.countDown());
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).schedule("payload", Duration.ZERO);
      assertThat(delivered.getCount()).isEqualTo(1);
      user.commit();
    }
    assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
