package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests transactions of the application that stay open, or that end without a notice to the client.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OpenTransactionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final String name = "orders-" + UUID.randomUUID();
  private TestServer server;
  private Punctual punctual;
  private TimedQueue<String> queue;

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

  @BeforeEach
  void open() {
    punctual = Punctual.open(url());
    queue = punctual.queue(name + UUID.randomUUID(), Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private String url() {
    return server.jdbcUrl() + "&createTables=true";
  }

  private JdbcUserTransaction begin() throws SQLException {
    return new JdbcUserTransaction(server.jdbcUrl());
  }

  private static Message<String> dueNow(String id) {
    return Message.of("payload").id(id).dueIn(Duration.ZERO);
  }

  private static ConditionFactory waiting() {
    return Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofMinutes(1));
  }

  private int waitingForLocks() throws SQLException {
    try (JdbcUserTransaction user = begin();
        Statement statement = user.connection().createStatement();
        ResultSet row = statement.executeQuery(PostgresServer.LOCK_WAITS)) {
      row.next();
      return row.getInt(1);
    }
  }

  /**
   * The handler commits the connection directly, so the client does not know whether the ack took
   * effect. The same is true after a commit whose reply was lost.
   */
  @Test
  void handlerThrows_afterItsAckWasCommitted_deadHandlerDoesNotRun() throws Exception {
    List<String> dead = dyingAfter(Connection::commit);
    assertThat(dead).containsExactly("next");
    assertThat(queue.find("first")).isEmpty();
  }

  @Test
  void handlerThrows_afterItsAckWasRolledBack_deadHandlerRuns() throws Exception {
    List<String> dead = dyingAfter(Connection::rollback);
    assertThat(dead).containsExactly("first", "next");
    waiting().until(() -> queue.find("first").orElseThrow().state() == State.DEAD);
  }

  private interface End {
    void end(Connection connection) throws SQLException;
  }

  /**
   * Runs a handler that acks the message {@code first} in a transaction, ends the transaction as
   * given, and then throws. Returns the ids of the dead letters that the dead handler received, up
   * to {@code next}.
   */
  private List<String> dyingAfter(End end) throws Exception {
    List<String> dead = new ArrayList<>();
    CountDownLatch ended = new CountDownLatch(1);
    queue.schedule(Message.of("payload").id("first").dueIn(Duration.ZERO));
    queue.schedule(Message.of("payload").id("next").dueIn(Duration.ofMillis(20)));
    queue
        .withDeadHandler(
            (delivery, reason, failure) -> {
              dead.add(delivery.id());
              if (delivery.id().equals("next")) {
                ended.countDown();
              }
            })
        .work(
            WorkerOptions.builder().concurrency(1).retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              if (delivery.id().equals("first")) {
                try (JdbcUserTransaction user = begin()) {
                  delivery.ack(user.transaction());
                  end.end(user.connection());
                }
              }
              throw new IllegalStateException("The handler failed");
            });
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    return dead;
  }

  @Test
  void purge_openTransactionHasChangedAMessage_removesTheMessagesBeforeIt() throws Exception {
    for (int i = 0; i < 50; i++) {
      queue.schedule(Message.of("payload").id("m-" + i).dueIn(HOUR.plusSeconds(i)));
    }
    CompletableFuture<Long> purge;
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).runNow("m-25");
      purge = queue.async().purge(Set.of(State.SCHEDULED)).toCompletableFuture();
      waiting().until(() -> queue.counts().scheduled() == 25);
    }
    assertThat(purge.join()).isEqualTo(50);
  }

  @Test
  void claim_openTransactionHasTheMessageLocked_claimsLessAndLessOften() throws Exception {
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(url()))) {
      TestCalls calls = new TestCalls(store, queue.name());
      calls.schedule("a");
      try (JdbcUserTransaction user = begin()) {
        queue.inTransaction(user.transaction()).cancel("a");
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          waits.add(calls.claim(10).untilNextMicros());
        }
        assertThat(waits).containsExactly(20_000L, 40_000L, 80_000L, 160_000L, 250_000L, 250_000L);
      }
      Reply.Claimed claimed = calls.claim(10);
      assertThat(claimed.messages()).hasSize(1);
      calls.apply(new Operation.Release("a", claimed.token(), null));
      try (JdbcUserTransaction user = begin()) {
        queue.inTransaction(user.transaction()).cancel("a");
        assertThat(calls.claim(10).untilNextMicros()).isEqualTo(20_000);
      }
    }
  }

  /**
   * A take cancels a message that it claims. The take must therefore put back a message with an
   * undecodable payload, here as a dead letter, or the message would be lost.
   */
  @Test
  @Tag("extended")
  void take_payloadIsBrokenAndTheMessageLocked_isPutBackAfterTheLock() {
    AtomicInteger decoded = new AtomicInteger();
    CountDownLatch unlocked = new CountDownLatch(1);
    Codec<String> broken =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return payload.getBytes(StandardCharsets.UTF_8);
          }

          @Override
          public String decode(byte[] bytes) {
            if (decoded.getAndIncrement() == 0) {
              new Thread(() -> lockForAWhile("broken", unlocked)).start();
              await(unlocked);
            }
            throw new IllegalStateException("The payload is broken");
          }
        };
    queue.schedule(dueNow("broken"));
    var unused = punctual.queue(queue.name(), broken).async().take(1, Duration.ofSeconds(20));
    waiting().until(() -> queue.find("broken").map(m -> m.state() == State.DEAD).orElse(false));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Locks a message until two calls have waited for the lock in vain. */
  private void lockForAWhile(String id, CountDownLatch locked) {
    try (JdbcUserTransaction user = begin()) {
      queue.inTransaction(user.transaction()).cancel(id);
      locked.countDown();
      for (int waits = 0; waits < 2; waits++) {
        waiting().until(() -> waitingForLocks() > 0);
        waiting().until(() -> waitingForLocks() == 0);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A transaction must not wait for a second connection without limit, because other transactions
   * that wait too may use all connections of the pool.
   */
  @Test
  void scheduleInTransaction_newQueueAndAPoolOfOne_needsNoSecondConnection() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(5_000);
    try (HikariDataSource pool = new HikariDataSource(config);
        Punctual client =
            Punctual.builder()
                .store(JdbcStore.builder().dataSource(pool).listen(false).createTables(true).open())
                .build()) {
      TimedQueue<String> other = client.queue(name + "-new", Codec.string());
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        JdbcTransaction transaction = JdbcTransaction.of(connection);
        other.inTransaction(transaction).schedule(Message.of("payload").id("a").dueIn(HOUR));
        transaction.commit();
      }
      assertThat(other.find("a")).isPresent();
    }
  }

  @Test
  void transaction_actionThrows_laterActionsRunAndTheCommitSucceeds() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    try (JdbcUserTransaction user = begin()) {
      user.transaction()
          .afterCommit(
              () -> {
                throw new IllegalStateException("An action of the test");
              });
      user.transaction().afterCommit(runs::incrementAndGet);
      user.commit();
    }
    assertThat(runs).hasValue(1);
  }

  @Test
  void transaction_rolledBackAndUsedAgain_isRefused() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    try (JdbcUserTransaction user = begin()) {
      JdbcTransaction transaction = (JdbcTransaction) user.transaction();
      transaction.afterCommit(runs::incrementAndGet);
      transaction.rollback();
      transaction.rollback();
      assertThatThrownBy(() -> queue.inTransaction(transaction).schedule(dueNow("a")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("JdbcTransaction.of");
      JdbcTransaction next = JdbcTransaction.of(user.connection());
      queue.inTransaction(next).schedule(dueNow("b"));
      next.commit();
    }
    assertThat(runs).hasValue(0);
    assertThat(queue.find("b")).isPresent();
  }
}
