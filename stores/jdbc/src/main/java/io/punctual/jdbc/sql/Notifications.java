package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-up hints between the processes of a PostgreSQL database, by LISTEN and NOTIFY. Notifications
 * are sent after the commits, in separate transactions, because a transaction with a NOTIFY holds a
 * lock of the whole database during its commit. If a hint is lost, the other client finds the
 * message at its next safety check, which runs at least once a second. Safe for use by many
 * threads.
 */
public final class Notifications implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Notifications.class);
  private static final String CHANNEL = "punctual";

  /**
   * The time in microseconds beyond which no hint is sent, because the safety checks find a later
   * message in time.
   */
  private static final long SOON_MICROS = 1_500_000;

  /**
   * The time in milliseconds during which hints are collected, to be sent in a single transaction.
   */
  private static final long COLLECT_MILLIS = 5;

  private static final int WAIT_MILLIS = 250;
  private static final int WAITS_PER_PROBE = 40;
  private static final int PROBE_TIMEOUT_MILLIS = 10_000;
  private static final long PAUSE_MILLIS = 1000;
  private static final long IDLE_SECONDS = 10;

  private final Lender lender;
  private final Transactions transactions;
  private final ObjLongConsumer<String> receiver;
  private final String sender = UUID.randomUUID().toString();
  private final Thread listener = new Thread(null, this::listen, "punctual-jdbc-listen", 0, false);
  private final ScheduledThreadPoolExecutor sending =
      new ScheduledThreadPoolExecutor(1, Notifications::sendingThread);

  /**
   * For each queue, the time of {@link System#nanoTime} at which its next message can be claimed.
   * Guarded by this map itself.
   */
  private final Map<String, Long> pending = new HashMap<>();

  private volatile boolean closed;

  /**
   * Creates the hints of a store. {@link #start} begins to listen.
   *
   * @param receiver receives the name of a queue, and the time in microseconds until it has a
   *     message to claim
   */
  public Notifications(Lender lender, Transactions transactions, ObjLongConsumer<String> receiver) {
    this.lender = lender;
    this.transactions = transactions;
    this.receiver = receiver;
    listener.setDaemon(true);
    sending.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    sending.allowCoreThreadTimeOut(true);
    sending.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread sendingThread(Runnable task) {
    Thread thread = new Thread(null, task, "punctual-jdbc-notify", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  /** Starts to listen, on a connection that stays open. */
  public void start() {
    listener.start();
  }

  /**
   * Notifies the other processes of a message that can be claimed after {@code untilMicros}
   * microseconds. Does nothing if their safety checks find the message in time.
   */
  public void send(String queue, long untilMicros) {
    if (untilMicros > SOON_MICROS || closed) {
      return;
    }
    long due = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(untilMicros);
    boolean first;
    synchronized (pending) {
      first = pending.isEmpty();
      pending.merge(queue, due, (one, other) -> one - other < 0 ? one : other);
    }
    if (first) {
      flushSoon();
    }
  }

  private void flushSoon() {
    try {
      var unused = sending.schedule(this::flush, COLLECT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("The store is closed; the safety checks of other processes find the message", e);
    }
  }

  private void flush() {
    Map<String, Long> sent;
    synchronized (pending) {
      sent = new HashMap<>(pending);
      pending.clear();
    }
    long now = System.nanoTime();
    Object[] payloads =
        sent.entrySet().stream()
            .map(one -> payload(one.getKey(), Math.max(0, (one.getValue() - now) / 1000)))
            .toArray();
    try {
      transactions.run(connection -> notifyAll(connection, payloads));
    } catch (RuntimeException e) {
      log.debug("A hint to other processes was not sent; their safety checks find the message", e);
    }
  }

  private String payload(String queue, long untilMicros) {
    return sender + " " + untilMicros + " " + queue;
  }

  private static boolean notifyAll(Connection connection, Object[] payloads) throws SQLException {
    String sql =
        "SELECT pg_notify('"
            + CHANNEL
            + "', payload), set_config('synchronous_commit', 'off', true)"
            + " FROM unnest(?::text[]) AS sent (payload)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("text", payloads));
      return statement.execute();
    }
  }

  /**
   * Listens until the store is closed, and connects again after a failure. Ends if the driver has
   * no notifications. LISTEN needs autocommit: in a transaction it would have no effect until the
   * commit.
   */
  private void listen() {
    boolean failed = false;
    while (!closed) {
      try {
        Connection connection = lender.borrowUnchanged();
        boolean changed = false;
        try {
          ListeningConnection listening = ListeningConnection.of(connection);
          changed = true;
          ConnectionSettings before =
              ConnectionSettings.change(connection, true, PROBE_TIMEOUT_MILLIS);
          try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + CHANNEL);
            failed = false;
            receive(listening, statement);
            statement.execute("UNLISTEN " + CHANNEL);
          }
          before.restore();
          changed = false;
        } finally {
          if (changed) {
            lender.discard(connection);
          } else {
            connection.close();
          }
        }
      } catch (SQLFeatureNotSupportedException e) {
        log.warn("No hints of other processes: the driver is not org.postgresql:postgresql", e);
        return;
      } catch (SQLException | RuntimeException e) {
        if (!failed && !closed) {
          log.warn("No hints of other processes: their messages can be up to a second late", e);
        }
        failed = true;
        pause();
      }
    }
  }

  /**
   * Receives hints. At least every 10 seconds, a query tests the connection, because a broken
   * connection, or a server that is not the primary any more, can look like a connection without
   * notifications.
   */
  private void receive(ListeningConnection connection, Statement statement) throws SQLException {
    for (int waits = 1; !closed; waits++) {
      connection.await(WAIT_MILLIS).forEach(this::receive);
      if (waits % WAITS_PER_PROBE == 0) {
        requirePrimary(statement);
      }
    }
  }

  private static void requirePrimary(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SELECT current_setting('transaction_read_only')")) {
      row.next();
      if (row.getString(1).equals("on")) {
        throw new SQLException("The server of this connection is read-only");
      }
    }
  }

  private void receive(String payload) {
    String[] parts = payload.split(" ", 3);
    if (parts.length == 3 && !parts[0].equals(sender) && parts[1].matches("[0-9]{1,9}")) {
      accept(parts[2], Long.parseLong(parts[1]));
    }
  }

  private void accept(String queue, long untilMicros) {
    try {
      receiver.accept(queue, untilMicros);
    } catch (RuntimeException e) {
      log.warn("A hint for queue '{}' failed; the safety check finds its message", queue, e);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Stops listening and sending, and waits up to two seconds until the connection is returned to
   * the pool.
   */
  @Override
  public void close() {
    closed = true;
    sending.shutdown();
    try {
      listener.join(2 * PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
