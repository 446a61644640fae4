package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Receives the notifications of a schema, for all stores of this process that share a data source:
 * they need a single connection to listen. Safe for use by many threads.
 */
public final class Listener {
  private static final Logger log = Logs.of(Listener.class);

  /** The channel of a schema: the number of its table of messages. */
  static final String CHANNEL = "'punctual_' || 'punctual_message'::regclass::oid";

  private static final int WAIT_MILLIS = 250;
  private static final int WAITS_PER_PROBE = 40;
  private static final int PROBE_TIMEOUT_MILLIS = 10_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MILLIS = 1000;

  private final Lender lender;
  private final List<Notifications.Receiver> receivers = new CopyOnWriteArrayList<>();

  /** The thread that listens, while there are receivers. Changes under the monitor. */
  private volatile @Nullable Thread thread;

  Listener(Lender lender) {
    this.lender = lender;
  }

  /** Passes notifications on to a receiver from now on. */
  synchronized void add(Notifications.Receiver receiver) {
    receivers.add(receiver);
    if (thread == null) {
      boolean started = false;
      try {
        Thread begun = new Thread(null, this::listen, "punctual-jdbc-listen", 0, false);
        begun.setDaemon(true);
        thread = begun;
        begun.start();
        started = true;
      } finally {
        if (!started) {
          thread = null;
          receivers.remove(receiver);
        }
      }
    }
  }

  /**
   * Passes nothing on to a receiver any more. Waits up to a second until the last receiver's
   * connection is returned. An interrupt ends only this wait.
   */
  void remove(Notifications.Receiver receiver) throws InterruptedException {
    Thread ended;
    synchronized (this) {
      receivers.remove(receiver);
      ended = receivers.isEmpty() ? thread : null;
      thread = ended == null ? thread : null;
      notifyAll();
    }
    if (ended != null) {
      ended.join(CLOSE_MILLIS);
    }
  }

  private boolean isListening() {
    return thread == Thread.currentThread();
  }

  /**
   * Listens until the last receiver is removed, and connects again after a failure. Ends if the
   * driver has no notifications. LISTEN needs autocommit: in a transaction it would have no effect
   * until the commit.
   */
  private void listen() {
    boolean failed = false;
    while (isListening()) {
      try {
        Connection connection = lender.borrowUnchanged();
        ListeningConnection listening = listening(connection);
        boolean works = false;
        try {
          ConnectionSettings before =
              ConnectionSettings.change(connection, true, PROBE_TIMEOUT_MILLIS);
          try (Statement statement = connection.createStatement()) {
            String channel = channel(statement);
            statement.execute("LISTEN " + channel);
            failed = false;
            begins();
            receive(listening, statement);
            statement.execute("UNLISTEN " + channel);
          }
          before.restore();
          works = true;
        } finally {
          if (works) {
            connection.close();
          } else {
            lender.discard(connection);
          }
        }
      } catch (SQLFeatureNotSupportedException e) {
        log.warn("No hints of other processes: the driver is not org.postgresql:postgresql", e);
        return;
      } catch (Throwable e) { // only the last receiver ends the thread
        if (!failed && isListening()) {
          log.warn("No hints of other processes: their messages can be up to a second late", e);
          begins();
        }
        failed = true;
        pause();
      }
    }
  }

  private static ListeningConnection listening(Connection connection) throws SQLException {
    try {
      return ListeningConnection.of(connection);
    } catch (Throwable e) {
      try (connection) {
        throw e;
      }
    }
  }

  private static String channel(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT " + CHANNEL)) {
      row.next();
      return row.getString(1);
    }
  }

  /**
   * Receives hints. At least every 10 seconds, a query tests the connection, because a broken
   * connection, or a server that is not the primary any more, can look like a connection without
   * notifications.
   */
  private void receive(ListeningConnection connection, Statement statement) throws SQLException {
    for (int waits = 1; isListening(); waits++) {
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
    Notification notification = Notification.parse(payload);
    if (notification == null) {
      return;
    }
    for (Notifications.Receiver receiver : receivers) {
      try {
        receiver.accept(notification);
      } catch (RuntimeException e) {
        log.warn("A hint failed; the safety check finds its message: {}", payload, e);
      }
    }
  }

  private void begins() {
    for (Notifications.Receiver receiver : receivers) {
      try {
        receiver.begins();
      } catch (RuntimeException | Error e) { // for example no memory for a thread
        log.warn("A store did not forget the hints before; its safety checks find messages", e);
      }
    }
  }

  private synchronized void pause() {
    long end = System.nanoTime() + PAUSE_NANOS;
    for (long left = PAUSE_NANOS; left > 0 && isListening(); left = end - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        log.debug("An interrupt; only the close of the store ends the thread");
      }
    }
  }
}
