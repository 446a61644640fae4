package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.LockedByTransactionException;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RescheduleOutcome;
import io.punctual.TimedQueue;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a call that other transactions keep from the lock of its message. The calls of other
 * clients are scripted: whenever the database refuses the lock to the tested client, they commit a
 * change of the message, and lock the message again before the tested client makes its next try.
 */
final class LockedByCallsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /** How long the other calls keep the message locked; much longer than an open transaction may. */
  private static final Duration BUSY = Duration.ofSeconds(1);

  private static final int MIN_REFUSALS = 3;

  private enum Database {
    POSTGRES,
    MARIADB,
    H2
  }

  /** Returns the address of a database, or skips the test if its server is not installed. */
  private static String url(Database database) {
    return switch (database) {
      case POSTGRES -> PostgresServer.shared().jdbcUrl();
      case MARIADB -> MariaDbServer.shared().jdbcUrl();
      case H2 -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=50";
    };
  }

  @ParameterizedTest
  @EnumSource
  void change_callsOfOtherClientsKeepTheMessageLocked_waitsForThem(Database database)
      throws Exception {
    String url = url(database);
    try (ApplicationPool pool = new ApplicationPool(url);
        OtherCalls others = new OtherCalls(url);
        Punctual punctual = open(others.refusing(pool))) {
      TimedQueue<String> queue = punctual.queue("orders-" + database, Codec.string());
      queue.schedule(Message.of("payload").id("hot").dueIn(HOUR));
      others.lock();
      assertThat(queue.reschedule("hot", Due.after(HOUR.multipliedBy(2))))
          .isEqualTo(RescheduleOutcome.RESCHEDULED);
      assertThat(others.refusals.get()).isGreaterThanOrEqualTo(MIN_REFUSALS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void change_aTransactionKeepsTheMessageLocked_isBusy(Database database) throws Exception {
    String url = url(database);
    try (ApplicationPool pool = new ApplicationPool(url);
        JdbcUserTransaction user = new JdbcUserTransaction(url);
        Punctual punctual = open(pool)) {
      TimedQueue<String> queue = punctual.queue("orders-" + database, Codec.string());
      queue.schedule(Message.of("payload").id("held").dueIn(HOUR));
      queue.inTransaction(user.transaction()).cancel("held");
      assertThatThrownBy(() -> queue.reschedule("held", Due.after(HOUR)))
          .isInstanceOf(LockedByTransactionException.class)
          .hasMessageContaining("'held'");
    }
  }

  private static Punctual open(DataSource source) {
    return Punctual.builder()
        .store(JdbcStore.builder().dataSource(source).listen(false).createTables(true).open())
        .blockingTimeout(Duration.ofMinutes(1))
        .build();
  }

  /** The calls of other clients, on a connection of their own. */
  private static final class OtherCalls implements AutoCloseable {
    private final JdbcUserTransaction call;
    private long lockedNanos;
    private boolean isOver = true;
    final AtomicInteger refusals = new AtomicInteger();

    OtherCalls(String url) throws SQLException {
      call = new JdbcUserTransaction(url);
      call.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Begins the first of the calls. */
    void lock() throws SQLException {
      isOver = false;
      lockedNanos = System.nanoTime();
      change();
    }

    private void change() throws SQLException {
      try (PreparedStatement statement =
          call.connection()
              .prepareStatement(
                  "UPDATE punctual_message SET at_millis = at_millis + 1 WHERE id = ?")) {
        statement.setBytes(1, "hot".getBytes(StandardCharsets.UTF_8));
        assertThat(statement.executeUpdate()).isEqualTo(1);
      }
    }

    /** Commits the open call, and begins the next, until the time is over. */
    private void refused() throws SQLException {
      if (isOver) {
        return;
      }
      int count = refusals.incrementAndGet();
      call.connection().commit();
      isOver = count >= MIN_REFUSALS && System.nanoTime() - lockedNanos > BUSY.toNanos();
      if (!isOver) {
        change();
      }
    }

    /** Returns a source whose statements report refused locks to this object. */
    DataSource refusing(DataSource source) {
      return proxy(DataSource.class, source);
    }

    private <T> T proxy(Class<T> type, Object target) {
      return type.cast(
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> invoke(target, method, arguments)));
    }

    private Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
      try {
        Object result = method.invoke(target, arguments);
        if (result instanceof PreparedStatement) {
          return proxy(PreparedStatement.class, result);
        }
        return result instanceof Connection ? proxy(Connection.class, result) : result;
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof SQLException failure && SqlFailures.isLockTimeout(failure)) {
          refused();
        }
        throw e.getCause();
      }
    }

    @Override
    public void close() {
      call.close();
    }
  }
}
