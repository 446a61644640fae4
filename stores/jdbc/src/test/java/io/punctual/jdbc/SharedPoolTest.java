package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.kit.log.CapturedLog;
import io.punctual.spi.Call;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests pools whose connections the store shares with the handlers of the application. */
final class SharedPoolTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private TestServer server;
  private HikariDataSource pool;

  @BeforeEach
  void start() {
    server = PostgresServer.shared();
  }

  @AfterEach
  void stop() {
    if (pool != null) {
      pool.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setMaximumPoolSize(size);
    config.setPoolName("application");
    pool = new HikariDataSource(config);
    return pool;
  }

  private static JdbcStore store(DataSource source) {
    return JdbcStore.builder().dataSource(source).createTables(true).open();
  }

  /** The default size of a pool is 10, and a worker has 16 handlers by default. */
  @ParameterizedTest
  @ValueSource(ints = {5, 10})
  void work_handlersHoldAllConnectionsAndSchedule_goesOn(int size) {
    assertHandlersGoOn(pool(size));
  }

  @Test
  void work_handlersHoldAllConnectionsOfAnUnknownPoolAndSchedule_goesOn() {
    assertHandlersGoOn(BoundedPool.of(pool(20), 10));
  }

  private static void assertHandlersGoOn(DataSource source) {
    int messages = 200;
    try (Punctual punctual = Punctual.builder().store(store(source)).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      TimedQueue<String> next = punctual.queue("follow-ups", Codec.string());
      queue.scheduleAll(
          IntStream.range(0, messages).mapToObj(i -> Message.of("m").id("m" + i)).toList());
      Set<String> handled = ConcurrentHashMap.newKeySet();
      Set<Throwable> failures = ConcurrentHashMap.newKeySet();
      queue.work(
          WorkerOptions.builder().concurrency(16).build(),
          delivery -> {
            try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
              statement.execute("SELECT pg_sleep(0.005)");
              next.schedule("follow-up", HOUR);
              handled.add(delivery.id());
            } catch (Exception e) {
              failures.add(e);
              throw e;
            }
          });
      await().atMost(PATIENCE).until(() -> handled.size() == messages);
      assertThat(failures).isEmpty();
    }
  }

  @Test
  void call_applicationHoldsAllConnections_failsWithTheUseOfThePoolAndOneWarning()
      throws Exception {
    try (CapturedLog log = new CapturedLog();
        JdbcStore store = store(pool(4))) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      List<Connection> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(pool.getConnection());
      }
      await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 4);
      assertThatThrownBy(() -> TestCalls.await(calls.partition.find("a")))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("application - Connection is not available")
          .hasMessageContaining("(total=4, active=4, idle=0");
      assertThat(log.linesWith("for a connection of the pool application (total=4, active=4"))
          .hasSize(1);
      for (Connection connection : all) {
        connection.close();
      }
      assertThat(TestCalls.await(calls.partition.find("a"))).isNotNull();
    }
  }

  @Test
  void open_poolForFewerHandlersThanAWorkerHas_warnsWithTheNumbers() {
    try (CapturedLog log = new CapturedLog();
        JdbcStore store = store(pool(10))) {
      assertThat(store.describe()).startsWith("jdbc:postgresql:");
      assertThat(log.linesWith("WARN"))
          .singleElement()
          .asString()
          .contains("10 connections in the pool application", "maximumPoolSize to 20");
    }
  }

  /** For example an application with two clients, an importer and a command in the same process. */
  @Test
  void open_severalStoresOnOnePool_keepAsManyConnectionsAsOne() throws Exception {
    List<JdbcStore> stores = new ArrayList<>();
    List<Connection> held = new ArrayList<>();
    try (CapturedLog log = new CapturedLog()) {
      pool(10);
      for (int i = 0; i < 4; i++) {
        stores.add(store(pool));
      }
      assertThat(log.linesWith("10 connections in the pool application. The 4 stores"))
          .singleElement()
          .asString()
          .contains("can use 33 at a time and keep 4");
      for (int i = 0; i < 6; i++) {
        held.add(pool.getConnection());
      }
      for (JdbcStore store : stores) {
        new TestCalls(store, "orders").schedule("a" + stores.indexOf(store));
      }
      stores.remove(0).close();
      for (JdbcStore store : stores) {
        assertThat(TestCalls.await(new TestCalls(store, "orders").partition.find("a0")))
            .isPresent();
      }
      for (Connection each : held) {
        each.close();
      }
      held.clear();
      await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 4);
    } finally {
      for (Connection each : held) {
        each.close();
      }
      stores.forEach(JdbcStore::close);
    }
    await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  /** The store and the application take turns. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void open_smallPool_deliversAndLeavesConnectionsToTheApplication(int size) throws Exception {
    try (CapturedLog log = new CapturedLog();
        Punctual punctual = Punctual.builder().store(store(pool(size))).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      Set<String> delivered = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> delivered.add(delivery.payload()));
      for (int i = 0; i < 5; i++) {
        queue.schedule("order " + i, Duration.ZERO);
        pool.getConnection().close();
      }
      await().atMost(PATIENCE).until(() -> delivered.size() == 5);
      assertThat(log.linesWith("connections in the pool application")).hasSize(1);
    }
  }

  @Test
  void close_store_returnsAllConnections() {
    JdbcStore store = store(pool(10));
    await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 4);
    store.close();
    await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  /** A thread that ends an application may be interrupted, here while notifications are sent. */
  @Test
  void close_threadIsInterrupted_returnsAllConnections() throws Exception {
    WatchedSource watched = new WatchedSource(pool(10));
    JdbcStore store = store(watched.source());
    CountDownLatch sending = new CountDownLatch(1);
    watched.onStatement =
        sql -> {
          if (sql.contains("pg_notify")) {
            sending.countDown();
          }
        };
    TestCalls.await(
        new TestCalls(store, "orders")
            .begin(new Call.Apply(List.of(TestCalls.dueAt("a", TestCalls.PAST)), null)));
    assertThat(sending.await(60, TimeUnit.SECONDS)).isTrue();
    Thread.currentThread().interrupt();
    store.close();
    assertThat(Thread.interrupted()).isTrue();
    await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  /** The connections of such a pool are counted, which must not end at once with a count of 0. */
  @Test
  void open_threadIsInterrupted_findsTheConnectionsOfAnUnknownPool() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(server.jdbcUrl());
    try (CapturedLog log = new CapturedLog()) {
      Thread.currentThread().interrupt();
      JdbcStore store = store(source);
      assertThat(Thread.interrupted()).isTrue();
      store.close();
      assertThat(log.linesWith("connections in the data source")).isEmpty();
    }
  }

  /** After a restart of the database, handlers could otherwise take the whole pool. */
  @Test
  @Tag("extended")
  void call_databaseEndedAllConnections_keepsAsManyAsBefore() throws Exception {
    pool(10);
    try (JdbcStore store =
        JdbcStore.builder().dataSource(pool).createTables(true).listen(false).open()) {
      TestCalls calls = new TestCalls(store, "orders");
      await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 3);
      server.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
      await().atMost(PATIENCE).ignoreExceptions().until(() -> calls.schedule("a") != null);
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 3);
    }
  }

  /** A database refuses connections at once if the user has too many. */
  @Test
  void call_furtherConnectionsAreRefused_asksForThemWithPauses() throws Exception {
    WatchedSource watched = new WatchedSource(pool(10));
    JdbcStore.Builder builder = JdbcStore.builder().dataSource(watched.source()).createTables(true);
    try (JdbcStore store = builder.listen(false).open()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      CountDownLatch refusals = new CountDownLatch(5);
      watched.onConnection =
          () -> {
            refusals.countDown();
            throw new SQLException("too many connections", "53300");
          };
      watched.onStatement = sql -> await().atMost(PATIENCE).until(() -> refusals.getCount() == 0);
      long began = System.nanoTime();
      // The fourth of these calls needs a connection that the store does not have.
      var unused =
          List.of(
              calls.partition.find("a"),
              calls.partition.find("a"),
              store.queues(),
              calls.begin(new Call.Apply(List.of(TestCalls.dueAt("b", TestCalls.PAST)), null)));
      assertThat(refusals.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
    }
  }

  /** A lack of memory for a thread, for example, may pass. */
  @Test
  void call_dataSourceHadAnError_worksAfterwards() throws Exception {
    WatchedSource watched = new WatchedSource(pool(2));
    JdbcStore.Builder builder = JdbcStore.builder().dataSource(watched.source()).createTables(true);
    try (JdbcStore store = builder.listen(false).open()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      CountDownLatch errors = new CountDownLatch(5);
      watched.onConnection =
          () -> {
            if (errors.getCount() > 0) {
              errors.countDown();
              throw new OutOfMemoryError("unable to create native thread");
            }
            return null;
          };
      await()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptions()
          .until(() -> TestCalls.await(calls.partition.find("a")).isPresent());
      assertThat(errors.getCount()).isZero();
    }
  }
}
