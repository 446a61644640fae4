package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests behaviour for which the databases need different statements or settings. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EachDatabaseTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final String h2 = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  private TestServer postgres;
  private TestServer mariaDb;

  private enum Database {
    POSTGRES,
    MARIADB,
    H2
  }

  @BeforeAll
  void startServers() {
    postgres = PostgresServer.shared();
    mariaDb = MariaDbServer.shared();
  }

  @AfterAll
  void stopServers() {
    if (postgres != null) {
      postgres.close();
    }
    if (mariaDb != null) {
      mariaDb.close();
    }
  }

  private String url(Database database) {
    return switch (database) {
      case POSTGRES -> postgres.jdbcUrl();
      case MARIADB -> mariaDb.jdbcUrl();
      case H2 -> h2;
    };
  }

  private Punctual open(Database database) {
    return Punctual.open(storeUrl(database));
  }

  private String storeUrl(Database database) {
    return url(database) + (database == Database.H2 ? "?" : "&") + "createTables=true";
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
  }

  /**
   * A delay counts from the call of schedule, but on some databases the usual clock stands still
   * during a transaction.
   */
  @ParameterizedTest
  @EnumSource
  void schedule_inALongTransaction_countsFromTheCall(Database database) throws Exception {
    try (Punctual punctual = open(database);
        JdbcUserTransaction user = new JdbcUserTransaction(url(database))) {
      TimedQueue<String> queue = queue(punctual);
      Scheduled first = queue.inTransaction(user.transaction()).schedule("first", HOUR);
      Duration passes = Duration.ofMillis(500);
      long began = System.nanoTime();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> System.nanoTime() - began > passes.toNanos());
      Scheduled second = queue.inTransaction(user.transaction()).schedule("second", HOUR);
      user.commit();
      assertThat(second.dueAt()).isAfter(first.dueAt().plus(passes.minusMillis(10)));
    }
  }

  /**
   * A client repeats a claim whose reply was lost. Meanwhile a transaction of the application may
   * have locked the claimed message.
   */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void claim_repeatedWhileATransactionLocksItsMessage_isAnsweredAtOnce(Database database)
      throws Exception {
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(storeUrl(database)));
        Punctual punctual = open(database);
        JdbcUserTransaction user = new JdbcUserTransaction(url(database))) {
      TimedQueue<String> queue = queue(punctual);
      TestCalls calls = new TestCalls(store, queue.name());
      calls.schedule("a");
      Call.Claim claim = new Call.Claim(1, 60_000);
      Reply.Claimed first = (Reply.Claimed) calls.call(claim);
      queue.inTransaction(user.transaction()).cancel("a");
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> isRepeatedAtOnce(calls, claim, first.token()));
      user.connection().rollback();
      assertThat(calls.apply(new Operation.Ack("a", first.token()))).isNotNull();
    }
  }

  /**
   * Repeats a claim. Returns whether the answer came before the lock timeout of a statement. On a
   * busy machine it can come later, but not each time.
   */
  private static boolean isRepeatedAtOnce(TestCalls calls, Call.Claim claim, long token)
      throws Exception {
    long began = System.nanoTime();
    Reply.Claimed again = (Reply.Claimed) await(calls.repeat(claim));
    assertThat(again.messages()).hasSize(1);
    assertThat(again.token()).isEqualTo(token);
    return System.nanoTime() - began < Duration.ofMillis(900).toNanos();
  }

  /**
   * The test does not set the clock. It moves the time at which the token bucket is full, as if
   * claims had stored this time while the clock was half an hour ahead.
   */
  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void claim_rateLimitedAndTheClockSteppedBack_continuesAtTheRate(Database database)
      throws Exception {
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(storeUrl(database)))) {
      TestCalls calls = new TestCalls(store, "orders-" + UUID.randomUUID());
      await(calls.partition.limits(QueueLimits.none().rate(10, Duration.ofSeconds(1), 2)));
      for (String id : List.of("a", "b", "c", "d")) {
        calls.schedule(id);
      }
      assertThat(calls.claim(5).messages()).hasSize(2);
      try (Connection connection = DriverManager.getConnection(url(database));
          Statement statement = connection.createStatement()) {
        statement.execute("UPDATE punctual_limit SET full_micros = full_micros + 1800000000");
      }
      Reply.Claimed empty = calls.claim(5);
      assertThat(empty.messages()).isEmpty();
      assertThat(empty.untilNextMicros()).isBetween(1L, 101_000L);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> !calls.claim(1).messages().isEmpty());
    }
  }

  /**
   * A process keeps the counts of a large queue for some time, but not after it has paused, resumed
   * or purged the queue.
   */
  @Test
  @Tag("extended")
  void counts_largeQueue_showThePauseAndThePurgeOfThisClientAtOnce() {
    int messages = 50_000;
    try (Punctual punctual = open(Database.POSTGRES)) {
      TimedQueue<String> queue = queue(punctual);
      for (int i = 0; i < messages; i += 5_000) {
        queue.scheduleAll(
            IntStream.range(0, 5_000).mapToObj(j -> Message.of("m").dueIn(HOUR)).toList());
      }
      assertThat(queue.counts().scheduled()).isEqualTo(messages);
      queue.pause();
      assertThat(queue.counts().paused()).isTrue();
      queue.resume();
      assertThat(queue.counts().paused()).isFalse();
      QueueLimits limits = QueueLimits.none().concurrency(5);
      try (Punctual other = open(Database.POSTGRES)) {
        other.queue(queue.name(), Codec.string()).setLimits(limits);
      }
      assertThat(queue.limits()).isEqualTo(limits);
      assertThat(queue.purge(Set.of(State.SCHEDULED))).isEqualTo(messages);
      assertThat(queue.counts().pending()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void work_withAPrefetch_closeReleasesTheWaitingMessagesForTheNextWorker(Database database) {
    int messages = 700;
    List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
    try (Punctual punctual = open(database)) {
      TimedQueue<String> queue = queue(punctual);
      queue.scheduleAll(IntStream.range(0, messages).mapToObj(i -> Message.of("m" + i)).toList());
      CompletableFuture<Void> held = new CompletableFuture<>();
      WorkerOptions options = WorkerOptions.builder().concurrency(2).prefetch(500).build();
      Worker first = queue.workStages(options, delivery -> held);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(queue.counts().leased()).isEqualTo(2 + 500));
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> first.running() == 2);
      CompletableFuture<?> closed = first.closeAsync(HOUR).toCompletableFuture();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(queue.counts().ready()).isEqualTo(messages - 2));
      held.complete(null);
      closed.join();
      queue.work(options, delivery -> attempts.add(delivery.attempt()));
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(queue.counts().pending()).isZero());
      assertThat(attempts).hasSize(messages - 2).containsOnly(1);
    }
  }

  /**
   * After a deployment, many processes start at the same time, and delete the rows that earlier
   * processes left behind.
   */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void open_manyStoresAtOnceOnASerializablePool_allOpen(Database database) throws Exception {
    open(database).close();
    try (ApplicationPool pool = new ApplicationPool(url(database))) {
      for (int round = 0; round < 10; round++) {
        addForgottenCalls(database);
        List<CompletableFuture<JdbcStore>> stores =
            IntStream.range(0, 6)
                .mapToObj(
                    i ->
                        CompletableFuture.supplyAsync(
                            () -> JdbcStore.builder().dataSource(pool).listen(false).open()))
                .toList();
        for (CompletableFuture<JdbcStore> store : stores) {
          await(store).close();
        }
      }
    }
  }

  private void addForgottenCalls(Database database) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(database));
        Statement statement = connection.createStatement()) {
      String prefix = database == Database.POSTGRES ? "'\\x%02x'" : "x'%02x'";
      for (int client = 0; client < 20; client++) {
        statement.addBatch(
            "INSERT INTO punctual_call VALUES (" + prefix.formatted(client) + ", 1, 5)");
      }
      statement.executeBatch();
    }
  }

  /**
   * Ids are compared by their bytes. Case, spaces, accents and characters of four bytes make ids
   * different.
   */
  @ParameterizedTest
  @EnumSource
  void ids_similarTexts_areDifferentMessages(Database database) throws Exception {
    List<String> ids =
        List.of(
            "a",
            "A",
            "a ",
            " a",
            "a\t",
            "a\u0000",
            "\u00e4",
            "a\u0308",
            "\u00c4",
            "ss",
            "\u00df",
            "\ud83d\ude00",
            "\ud83d\ude01",
            "%",
            "_",
            "\\",
            "'",
            "\ud83d\ude00".repeat(64));
    try (Punctual punctual = open(database)) {
      TimedQueue<String> queue = queue(punctual);
      List<Message<String>> messages = new ArrayList<>();
      for (String id : ids) {
        messages.add(Message.of("payload of " + id).id(id).dueIn(HOUR));
      }
      queue.scheduleAll(messages);
      assertThat(queue.counts().scheduled()).isEqualTo(ids.size());
      for (String id : ids) {
        StoredMessage<String> found = queue.find(id).orElseThrow();
        assertThat(found.id()).isEqualTo(id);
        assertThat(found.payload()).isEqualTo("payload of " + id);
      }
    }
  }

  /**
   * The names in the statements of the store must work with other settings of upper and lower case,
   * including the names of H2's system tables.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {"DATABASE_TO_UPPER=FALSE", "DATABASE_TO_LOWER=TRUE", "MODE=MySQL", "MODE=LEGACY"})
  void schedule_h2WithOtherSettings_isStored(String setting) {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";" + setting + "?createTables=true";
    try (Punctual punctual = Punctual.open(url)) {
      TimedQueue<String> queue = queue(punctual);
      queue.schedule(Message.of("payload").id("a").dueIn(HOUR));
      assertThat(queue.find("a")).isPresent();
    }
  }

  /**
   * Some pools throw a RuntimeException instead of an SQLException while they start. The store must
   * try again after both.
   */
  @Test
  void listen_poolThrowsAtFirst_listensLater() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    try (ApplicationPool pool = new ApplicationPool(postgres.jdbcUrl())) {
      DataSource source =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (self, method, arguments) -> {
                    if (Thread.currentThread().getName().equals("punctual-jdbc-listen")
                        && failures.getAndIncrement() == 0) {
                      throw new IllegalStateException("The pool starts");
                    }
                    return method.invoke(pool, arguments);
                  });
      try (JdbcStore store = JdbcStore.builder().dataSource(source).createTables(true).open()) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(pool::isListening);
        assertThat(store.describe()).startsWith("jdbc:postgresql:");
      }
      assertThat(failures.get()).isGreaterThan(1);
    }
  }
}
