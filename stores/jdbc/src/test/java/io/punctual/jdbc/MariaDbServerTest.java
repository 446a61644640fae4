package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.PAST;
import static io.punctual.jdbc.TestCalls.await;
import static io.punctual.jdbc.TestCalls.dueAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.StoreFullException;
import io.punctual.StoreRefusedException;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests the locks, grants and packet limits of MariaDB. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MariaDbServerTest {
  private static final int PACKET_BYTES = 1 << 20;

  private String queueName;
  private MariaDbServer server;

  @BeforeAll
  void startServer() {
    server = MariaDbServer.start("--max-allowed-packet=" + PACKET_BYTES);
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void nameQueue() {
    queueName = "orders-" + UUID.randomUUID();
  }

  private String url() {
    return server.jdbcUrl() + "&createTables=true";
  }

  private void execute(String... commands) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  /** The user of this test has the grants that docs/jdbc.md lists, and no others. */
  /** These settings of a session refuse changes, or make them wait. */
  @Test
  void work_settingsOfTheSession_areNoMatter() throws Exception {
    BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    String settings =
        "&sessionVariables=sql_safe_updates=1,innodb_lock_wait_timeout=50,sql_mode='ANSI'";
    try (Punctual punctual = Punctual.open(url() + settings)) {
      TimedQueue<String> queue = punctual.queue("settings", Codec.string());
      queue.work(delivery -> delivered.add(delivery.payload()));
      queue.schedule("order", Duration.ZERO);
      assertThat(delivered.poll(1, TimeUnit.MINUTES)).isEqualTo("order");
      queue.schedule("later", Duration.ofHours(1));
      queue.pause();
      assertThat(queue.purge(EnumSet.allOf(State.class))).isPositive();
    }
  }

  /**
   * Libraries for SQL advise this option, with which an UPDATE to the same values counts no row.
   */
  @Test
  void setLimits_theSameAgain_withUseAffectedRows_changesNothing() {
    try (Punctual punctual = Punctual.open(url() + "&useAffectedRows=true")) {
      TimedQueue<String> queue = punctual.queue(queueName, Codec.string());
      QueueLimits limits = QueueLimits.none().concurrency(2);
      queue.setLimits(limits);
      queue.setLimits(limits);
      assertThat(queue.limits()).isEqualTo(limits);
    }
  }

  @Test
  void open_minimalGrants_suffice() throws Exception {
    JdbcStoreProvider.open(StoreUrl.parse(url())).close();
    execute(
        "CREATE OR REPLACE USER seller@'%' IDENTIFIED BY 's e&c+r%t'",
        "GRANT SELECT ON shop.punctual_schema TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_queue TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_message TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_limit TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_pause TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_worker TO seller@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON shop.punctual_call TO seller@'%'");
    String seller = server.jdbcUrl().replace("user=root", "user=seller&password=s%20e%26c%2Br%25t");
    CountDownLatch delivered = new CountDownLatch(1);
    try (Punctual punctual = Punctual.open(seller)) {
      TimedQueue<String> queue = punctual.queue("granted", Codec.string());
      queue.work(delivery -> delivered.countDown());
      queue.schedule("order", Duration.ZERO);
      assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    }
    execute("REVOKE DELETE ON shop.punctual_call FROM seller@'%'");
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse(seller)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("DELETE")
        .hasMessageContaining("punctual_call");
  }

  @Test
  void open_wrongPassword_isRefused() {
    String url = server.jdbcUrl() + "&password=wrong";
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse(url)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("Access denied");
  }

  @Test
  void open_lockTimeoutsRollBackTransactions_isRefused() throws Exception {
    String url = MariaDbServer.shared("--innodb-rollback-on-timeout=ON").jdbcUrl();
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse(url)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("innodb_rollback_on_timeout")
        .hasMessageContaining("set the option to OFF");
  }

  @Test
  void apply_contentBeyondAPacket_failsAlone() throws Exception {
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(url()))) {
      TestCalls calls = new TestCalls(store, queueName);
      Content large = Content.of(new byte[PACKET_BYTES]);
      List<Operation> operations =
          List.of(
              dueAt("a", PAST),
              new Operation.Schedule("large", PAST, IfPresent.KEEP, large),
              dueAt("b", PAST));
      Reply.Applied applied = (Reply.Applied) calls.call(new Call.Apply(operations, null));
      Outcome stored = new Outcome.OfSchedule(ScheduleOutcome.STORED, PAST.millis(), null);
      assertThat(applied.outcomes()).element(0).isEqualTo(stored);
      assertThat(applied.outcomes())
          .element(1)
          .isInstanceOfSatisfying(
              Outcome.Full.class, full -> assertThat(full.why()).contains("max_allowed_packet"));
      assertThat(applied.outcomes()).element(2).isEqualTo(stored);
    }
  }

  @Test
  void scheduleAllInTransaction_oneContentBeyondAPacket_hasNoEffect() throws Exception {
    try (Punctual punctual = Punctual.open(url());
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      TimedQueue<byte[]> queue = punctual.queue(queueName, Codec.bytes());
      List<Message<byte[]>> messages =
          List.of(
              Message.of(new byte[1]).id("small").dueIn(Duration.ofHours(1)),
              Message.of(new byte[PACKET_BYTES]).id("large").dueIn(Duration.ofHours(1)));
      assertThatThrownBy(() -> queue.inTransaction(user.transaction()).scheduleAll(messages))
          .isInstanceOf(StoreFullException.class)
          .hasMessageContaining("max_allowed_packet");
      user.commit();
      assertThat(queue.find("small")).isEmpty();
    }
  }

  /** Each content fits in a packet, but all contents together do not. */
  @Test
  void apply_contentsBeyondAPacketTogether_areAllStored() throws Exception {
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(url()))) {
      TestCalls calls = new TestCalls(store, queueName);
      List<Operation> operations = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Content content = Content.of(new byte[PACKET_BYTES / 5]);
        operations.add(new Operation.Schedule("part " + i, PAST, IfPresent.REPLACE, content));
      }
      calls.call(new Call.Apply(operations, null));
      calls.call(new Call.Apply(operations, null));
      assertThat(await(calls.partition.counts()).ready()).isEqualTo(20);
    }
  }

  /**
   * A schedule must not read with a lock: at REPEATABLE READ this would lock the gaps between the
   * ids, and most transactions would end in deadlocks.
   */
  @Test
  void schedule_manyTransactionsAtRepeatableRead_doNotBlockEachOther() throws Exception {
    try (Punctual punctual = Punctual.open(url());
        JdbcUserTransaction open = new JdbcUserTransaction(server.jdbcUrl())) {
      TimedQueue<String> queue = punctual.queue(queueName, Codec.string());
      queue.inTransaction(open.transaction()).schedule(message("m"));
      for (IfPresent mode : IfPresent.values()) {
        try (JdbcUserTransaction second = new JdbcUserTransaction(server.jdbcUrl())) {
          queue
              .inTransaction(second.transaction())
              .scheduleAll(List.of(message("l-" + mode), message("n-" + mode)), mode);
          queue.schedule(message("o-" + mode));
          second.commit();
        }
      }
      open.commit();
      assertThat(queue.counts().scheduled()).isEqualTo(1 + 3 * IfPresent.values().length);
    }
  }

  private static Message<String> message(String id) {
    return Message.of("payload").id(id).dueIn(Duration.ofHours(1));
  }

  @Test
  void scheduleAll_someMessagesExist_keepsThem() throws Exception {
    try (Punctual punctual = Punctual.open(url());
        JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      TimedQueue<String> queue = punctual.queue(queueName, Codec.string());
      queue.schedule(message("b"));
      assertThat(
              queue
                  .inTransaction(user.transaction())
                  .scheduleAll(List.of(message("a"), message("b"), message("c"))))
          .extracting(scheduled -> scheduled.outcome())
          .containsExactly(ScheduleOutcome.STORED, ScheduleOutcome.KEPT, ScheduleOutcome.STORED);
      user.commit();
      assertThat(queue.counts().scheduled()).isEqualTo(3);
    }
  }

  /** Threads of several clients change the same messages in different orders. */
  @Test
  void changes_sameMessagesByManyClients_surviveDeadlocks() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Punctual first = Punctual.open(url());
        Punctual second = Punctual.open(url())) {
      List<Future<?>> changes = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        TimedQueue<String> queue =
            (thread % 2 == 0 ? first : second).queue(queueName, Codec.string());
        boolean backwards = thread < 2;
        changes.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < 25; round++) {
                    for (int i = 0; i < 10; i++) {
                      String id = "same-" + (backwards ? 9 - i : i);
                      queue.schedule(message(id), IfPresent.REPLACE);
                    }
                  }
                }));
      }
      for (Future<?> change : changes) {
        change.get(60, TimeUnit.SECONDS);
      }
      assertThat(first.queue(queueName, Codec.string()).counts().scheduled()).isEqualTo(10);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void driverOfMySql_deliversAndJoinsTransactions() throws Exception {
    CountDownLatch delivered = new CountDownLatch(20);
    try (Punctual punctual = Punctual.open(server.mySqlUrl() + "&createTables=true");
        JdbcUserTransaction user = new JdbcUserTransaction(server.mySqlUrl())) {
      TimedQueue<String> queue = punctual.queue(queueName, Codec.string());
      List<Message<String>> messages = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        messages.add(Message.of("payload").id("m" + i).dueIn(Duration.ZERO));
      }
      queue.inTransaction(user.transaction()).scheduleAll(messages);
      user.commit();
      assertThat(queue.find("m3")).isPresent();
      queue.work(delivery -> delivered.countDown());
      assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /**
   * The pool of the application has a different isolation and lock timeout than the transactions of
   * the store. The store must restore both before it returns a connection.
   */
  @Test
  void connections_returnedToTheApplication_haveItsSettings() throws Exception {
    JdbcStoreProvider.open(StoreUrl.parse(url())).close();
    try (ApplicationPool pool = new ApplicationPool(server.jdbcUrl())) {
      try (JdbcStore store = JdbcStore.builder().dataSource(pool).open()) {
        TestCalls calls = new TestCalls(store, queueName);
        calls.schedule("a");
        assertThat(calls.claim(1).messages()).hasSize(1);
      }
      assertThat(pool.returned()).isNotEmpty();
      for (Connection connection : pool.returned()) {
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        try (Statement statement = connection.createStatement();
            var row = statement.executeQuery("SELECT @@innodb_lock_wait_timeout")) {
          row.next();
          assertThat(row.getInt(1)).isEqualTo(50);
        }
      }
    }
  }
}
