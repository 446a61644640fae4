package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests calls in a transaction of the application. A call fails at a message that a different
 * transaction has locked. The application catches the failure and commits, so the database must
 * have no part of the call.
 */
final class WholeCallTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int MESSAGES = 2 * Partition.MAX_OPERATIONS;

  /** The last message, so that a call with all messages has already executed its first step. */
  private static final String LOCKED = "m-" + (MESSAGES - 1);

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();

  /** A database, with the statement that makes a transaction wait for a short time only. */
  private record Database(String url, String separator, String shortWait) {
    static Database postgres(TestServer server, String autosave) {
      return new Database(
          server.jdbcUrl() + "&autosave=" + autosave, "&", "SET LOCAL lock_timeout = 50");
    }
  }

  private static Message<String> message(String id) {
    return Message.of("payload").id(id).dueIn(HOUR);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  @Test
  void scheduleAllOnH2_laterStatementFails_hasNoEffect() throws Exception {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    assertHasNoEffect(new Database(url, "?", "SET LOCK_TIMEOUT 50"), MESSAGES, IfPresent.REPLACE);
  }

  @Test
  void scheduleAllOnMariaDb_laterStatementFails_hasNoEffect() throws Exception {
    try (TestServer server = MariaDbServer.shared()) {
      Database database =
          new Database(server.jdbcUrl(), "&", "SET SESSION innodb_lock_wait_timeout = 1");
      assertHasNoEffect(database, MESSAGES, IfPresent.REPLACE);
    }
  }

  @Test
  void scheduleAllOnPostgres_laterStatementFails_hasNoEffect() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertHasNoEffect(Database.postgres(server, "never"), MESSAGES, IfPresent.REPLACE);
    }
  }

  /** With this option of the driver, the transaction continues after a failed statement. */
  @Test
  void scheduleAllOnPostgresWithAutosave_laterStatementFails_hasNoEffect() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertHasNoEffect(Database.postgres(server, "always"), MESSAGES, IfPresent.REPLACE);
    }
  }

  /** The first statement inserts the absent message; the second locks the message that exists. */
  @Test
  void scheduleTwoOnPostgresWithAutosave_secondIsLocked_hasNoEffect() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      assertHasNoEffect(Database.postgres(server, "always"), 2, IfPresent.KEEP);
    }
  }

  /**
   * Schedules the last {@code messages} messages by a call that fails, and commits. Expects that
   * the call had no effect, and that the message that the transaction scheduled before the call
   * exists.
   */
  private void assertHasNoEffect(Database database, int messages, IfPresent ifPresent)
      throws Exception {
    List<Message<String>> all =
        IntStream.range(MESSAGES - messages, MESSAGES).mapToObj(i -> message("m-" + i)).toList();
    try (Punctual punctual =
            Punctual.builder()
                .url(database.url() + database.separator() + "createTables=true")
                .observer(events::add)
                .build();
        JdbcUserTransaction other = new JdbcUserTransaction(database.url());
        JdbcUserTransaction user = new JdbcUserTransaction(database.url())) {
      TimedQueue<String> queue = punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
      queue.schedule(message(LOCKED));
      other.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      execute(other.connection(), "SELECT id FROM punctual_message FOR UPDATE");
      execute(user.connection(), database.shortWait());
      queue.inTransaction(user.transaction()).schedule(message("kept"));
      events.clear();
      assertThatThrownBy(() -> queue.inTransaction(user.transaction()).scheduleAll(all, ifPresent))
          .isInstanceOf(PunctualException.class);
      user.commit();
      assertThat(queue.find("kept")).isPresent();
      assertThat(queue.counts().scheduled()).isEqualTo(2);
      assertThat(events).filteredOn(Event.OperationFailed.class::isInstance).hasSize(messages);
      assertThat(events)
          .filteredOn(Event.MessageScheduled.class::isInstance)
          .map(event -> ((Event.MessageScheduled) event).id())
          .containsExactly("kept");
    }
  }
}
