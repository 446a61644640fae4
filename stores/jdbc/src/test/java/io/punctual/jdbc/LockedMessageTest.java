package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.EnlistedQueue;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.DueTime;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests purges and claims of messages that a transaction of the application has locked. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LockedMessageTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /** The last message of the first step of a purge, which has 1000 messages. */
  private static final String LAST_OF_STEP = "m-999";

  private static final int MESSAGES = 1_005;

  /** The maximum time in microseconds between claims that find only locked messages. */
  private static final long LONGEST_WAIT_MICROS = 250_000;

  private final String name = "orders-" + UUID.randomUUID();
  private final Database h2 =
      new Database(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
          "?createTables=true",
          "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL");
  private TestServer server;
  private Database postgres;

  /** A database, with the query that counts the sessions which wait for locks. */
  private record Database(String url, String createTables, String countOfWaits) {
    Punctual open() {
      return Punctual.builder()
          .url(url + createTables)
          .blockingTimeout(Duration.ofMinutes(1))
          .build();
    }

    JdbcUserTransaction begin() throws SQLException {
      return new JdbcUserTransaction(url);
    }

    boolean hasWaits() throws SQLException {
      try (JdbcUserTransaction user = begin();
          Statement statement = user.connection().createStatement();
          ResultSet row = statement.executeQuery(countOfWaits)) {
        row.next();
        return row.getInt(1) > 0;
      }
    }
  }

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
    postgres = new Database(server.jdbcUrl(), "&createTables=true", PostgresServer.LOCK_WAITS);
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void purge_waitsForAMessageThatMovesLater_removesTheMessagesBetween() throws Exception {
    assertRemovesTheMessagesBetween(postgres);
  }

  @Test
  void purgeOnH2_waitsForAMessageThatMovesLater_removesTheMessagesBetween() throws Exception {
    assertRemovesTheMessagesBetween(h2);
  }

  private void assertRemovesTheMessagesBetween(Database database) throws Exception {
    try (Punctual punctual = database.open()) {
      TimedQueue<String> queue = punctual.queue(name + "-later", Codec.string());
      Due later = Due.after(HOUR.multipliedBy(1_000));
      long removed =
          purgedDuring(database, queue, enlisted -> enlisted.reschedule(LAST_OF_STEP, later));
      assertThat(queue.counts().scheduled()).isZero();
      assertThat(removed).isEqualTo(MESSAGES);
    }
  }

  @Test
  void purge_waitsForAMessageThatLeavesTheState_keepsOnlyThatMessage() throws Exception {
    assertKeepsTheReadyMessage(postgres);
  }

  @Test
  void purgeOnH2_waitsForAMessageThatLeavesTheState_keepsOnlyThatMessage() throws Exception {
    assertKeepsTheReadyMessage(h2);
  }

  private void assertKeepsTheReadyMessage(Database database) throws Exception {
    try (Punctual punctual = database.open()) {
      TimedQueue<String> queue = punctual.queue(name + "-ready", Codec.string());
      long removed = purgedDuring(database, queue, enlisted -> enlisted.runNow(LAST_OF_STEP));
      assertThat(queue.find(LAST_OF_STEP).orElseThrow().state()).isEqualTo(State.READY);
      assertThat(queue.counts().scheduled()).isZero();
      assertThat(removed).isEqualTo(MESSAGES - 1);
    }
  }

  @Test
  void purgeOnMariaDb_waitsForAMessageThatMoves_removesTheOthers() throws Exception {
    try (TestServer mariaDb = MariaDbServer.shared()) {
      Database database =
          new Database(
              mariaDb.jdbcUrl(),
              "&createTables=true",
              "SELECT variable_value FROM information_schema.global_status"
                  + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
      assertRemovesTheMessagesBetween(database);
      assertKeepsTheReadyMessage(database);
    }
  }

  /**
   * Makes a change in an open transaction, purges the scheduled messages, and commits the change
   * while the purge waits for the lock. Returns the number of purged messages.
   */
  private static long purgedDuring(
      Database database, TimedQueue<String> queue, Consumer<EnlistedQueue<String>> change)
      throws Exception {
    queue.scheduleAll(IntStream.range(0, MESSAGES).mapToObj(LockedMessageTest::message).toList());
    try (JdbcUserTransaction user = database.begin()) {
      change.accept(queue.inTransaction(user.transaction()));
      CompletableFuture<Long> purge =
          queue.async().purge(Set.of(State.SCHEDULED)).toCompletableFuture();
      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofMinutes(1))
          .until(database::hasWaits);
      user.commit();
      return purge.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void claim_dueMessageIsLocked_waitsNoLongerThanToTheNextDueTime() throws Exception {
    try (Punctual punctual = postgres.open();
        JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(postgres.url()))) {
      TimedQueue<String> queue = punctual.queue(name + "-next", Codec.string());
      TestCalls calls = new TestCalls(store, queue.name());
      calls.schedule("locked");
      try (JdbcUserTransaction user = postgres.begin()) {
        queue.inTransaction(user.transaction()).cancel("locked");
        Reply.Claimed claimed;
        do {
          claimed = calls.claim(10);
        } while (claimed.untilNextMicros() < LONGEST_WAIT_MICROS);
        long dueMillis;
        int claims = 0;
        do {
          DueTime soon = new DueTime(true, LONGEST_WAIT_MICROS / 2_000);
          Outcome stored = calls.apply(TestCalls.dueAt("next-" + claims++, soon));
          dueMillis = ((Outcome.OfSchedule) stored).dueMillis();
          claimed = calls.claim(10);
        } while (!claimed.messages().isEmpty());
        assertThat(claimed.engineMicros() + claimed.untilNextMicros()).isEqualTo(dueMillis * 1_000);
      }
    }
  }

  private static Message<String> message(int number) {
    return Message.of("payload").id("m-" + number).dueIn(HOUR.plusSeconds(number));
  }
}
