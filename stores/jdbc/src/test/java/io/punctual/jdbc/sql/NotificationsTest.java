package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.jdbc.JdbcStore;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.ds.PGSimpleDataSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NotificationsTest {
  private static final int ROUNDS = 20;

  private final AtomicInteger begins = new AtomicInteger();
  private TestServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  private DataSource source(String schema) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(server.jdbcUrl());
    source.setCurrentSchema(schema);
    return source;
  }

  /** Creates tables in a schema, and notifications that a queue receives. */
  private Notifications open(String schema, BlockingQueue<Notification> received)
      throws SQLException {
    return open(schema, received, begins::incrementAndGet);
  }

  private Notifications open(
      String schema, BlockingQueue<Notification> received, Runnable whenBegun) throws SQLException {
    DataSource source = source(schema);
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
      JdbcStore.builder().dataSource(source).createTables(true).listen(false).open().close();
      Dialect dialect = Dialect.of(connection);
      Lender lender = Lender.of(source, connection, dialect);
      TransactionRunner transactions = new TransactionRunner(new Connections(lender), schema);
      Notifications notifications =
          new Notifications(
              new Listener(lender),
              transactions,
              dialect,
              new Notifications.Receiver() {
                @Override
                public void begins() {
                  whenBegun.run();
                }

                @Override
                public void accept(Notification notification) {
                  received.add(notification);
                }
              });
      notifications.start();
      return notifications;
    }
  }

  @Test
  void changed_inAnotherSchema_isNotReceived() throws Exception {
    BlockingQueue<Notification> received = new LinkedBlockingQueue<>();
    BlockingQueue<Notification> elsewhere = new LinkedBlockingQueue<>();
    try (Notifications one = open("one", received);
        Notifications two = open("two", elsewhere)) {
      for (int round = 0; round < ROUNDS; round++) {
        two.changed("orders", 1_000, 0, 0);
        assertThat(two.sendNow("orders")).isFalse();
        one.changed("orders", 1_000, 0, 0);
        Notification next = received.poll(100, TimeUnit.MILLISECONDS);
        if (next != null) {
          assertThat(next.client()).isEqualTo(one.client());
        }
      }
      assertThat(received).allMatch(each -> each.client().equals(one.client()));
      assertThat(elsewhere).allMatch(each -> each.client().equals(two.client()));
    }
  }

  @Test
  void changed_waitsForAClaim_isSentUnlessItIsWithdrawn() throws Exception {
    BlockingQueue<Notification> received = new LinkedBlockingQueue<>();
    try (Notifications one = open("three", received)) {
      Notification first = null;
      while (first == null) {
        one.changed("first", 1_000, 0, 0);
        first = received.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(first.sentMicros()).isPositive();
      assertThat(first.time()).isEqualTo(1_000);
      one.changed("withdrawn", 1_000, 0, 3_600_000);
      one.withdraw("withdrawn");
      assertThat(one.sendNow("withdrawn")).isFalse();
      one.changed("waiting", 1_000, 0, 3_600_000);
      assertThat(one.sendNow("waiting")).isTrue();
      Notification next = first;
      while (next.queue().equals("first")) {
        next = received.poll(60, TimeUnit.SECONDS);
      }
      assertThat(next.queue()).isEqualTo("waiting");
    }
  }

  /** A client without notifications must not rely on the client on duty. */
  @Test
  void listen_connectionBreaks_isReportedBeforeTheNextConnection() throws Exception {
    try (Notifications one = open("four", new LinkedBlockingQueue<>());
        Connection connection = source("four").getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(one.client()).isNotEmpty();
      Awaitility.await().until(() -> listeners(statement, "count(*)") == 1);
      begins.set(0);
      assertThat(listeners(statement, "count(pg_terminate_backend(pid))")).isOne();
      Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> begins.get() == 2);
    }
  }

  /** Otherwise the stores of a data source would never listen again, without a word. */
  @Test
  void begins_receiverHasAnErrorEachTime_receivesAllTheSame() throws Exception {
    BlockingQueue<Notification> received = new LinkedBlockingQueue<>();
    Runnable lacksMemory =
        () -> {
          begins.incrementAndGet();
          throw new OutOfMemoryError("unable to create native thread");
        };
    try (Notifications one = open("five", received, lacksMemory)) {
      Awaitility.await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () -> {
                one.changed("orders", 1_000, 0, 0);
                return received.poll(100, TimeUnit.MILLISECONDS) != null;
              });
    }
  }

  private static int listeners(Statement statement, String what) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT "
                + what
                + " FROM pg_stat_activity WHERE datname = current_database()"
                + " AND query LIKE 'LISTEN %'")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** A hint of a different release has a different text. */
  @Test
  void parse_otherText_isIgnored() {
    assertThat(Notification.parse("")).isNull();
    assertThat(Notification.parse("a-client 1000 orders")).isNull();
    assertThat(Notification.parse("1 CHANGED a x orders")).isNull();
    assertThat(Notification.parse("5 CHANGED a 7 orders"))
        .isEqualTo(new Notification(Notification.Kind.CHANGED, "a", "orders", 5, 7));
  }
}
