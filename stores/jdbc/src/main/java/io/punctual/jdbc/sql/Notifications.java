package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Notifications between the clients of a PostgreSQL database, by LISTEN and NOTIFY. They are sent
 * after the commits, in separate transactions, because a transaction with a NOTIFY holds a lock of
 * the whole database during its commit. If a hint is lost, the other clients find the message at
 * their next safety check, which runs at least once a second. Safe for use by many threads.
 */
public final class Notifications implements Hints, AutoCloseable {
  private static final Logger log = Logs.of(Notifications.class);

  /**
   * The shortest time in milliseconds between two transactions that send. Meanwhile, notifications
   * are collected.
   */
  private static final long COLLECT_MILLIS = 5;

  private static final long CLOSE_MILLIS = 1000;
  private static final long IDLE_SECONDS = 10;

  private final Listener listener;
  private final TransactionRunner transactions;
  private final Dialect dialect;
  private final Receiver receiver;
  private final String client = UUID.randomUUID().toString();
  private final ScheduledThreadPoolExecutor sending;

  /** The notifications to send next, by kind and queue. Guarded by this map itself. */
  private final Map<String, Notification> ready = new LinkedHashMap<>();

  /**
   * The hints that wait for a claim of this client, by queue. Guarded by {@link #ready}, as are the
   * following fields.
   */
  private final Map<String, Waiting> waiting = new HashMap<>();

  private boolean isSending;
  private long lastNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(COLLECT_MILLIS);

  private volatile boolean closed;

  /** A hint that waits until a time of {@link System#nanoTime}. */
  private record Waiting(Notification hint, long endNanos) {
    Waiting merge(Notification later) {
      return new Waiting(hint.merge(later), endNanos);
    }
  }

  /** Receives the notifications of all clients, also of this client. Must not block. */
  public interface Receiver {
    /** The notifications begin or break off, so some may have been lost. */
    void begins();

    void accept(Notification notification);
  }

  /**
   * Creates the notifications of a store. {@link #start} begins to listen.
   *
   * @param listener receives the notifications of all clients
   */
  public Notifications(
      Listener listener, TransactionRunner transactions, Dialect dialect, Receiver receiver) {
    this(listener, transactions, dialect, receiver, Notifications::sendingThread);
  }

  Notifications(
      Listener listener,
      TransactionRunner transactions,
      Dialect dialect,
      Receiver receiver,
      ThreadFactory threads) {
    this.listener = listener;
    this.transactions = transactions;
    this.dialect = dialect;
    this.receiver = receiver;
    sending = new ScheduledThreadPoolExecutor(1, threads);
    sending.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    sending.allowCoreThreadTimeOut(true);
    sending.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread sendingThread(Runnable task) {
    Thread thread = new Thread(null, task, "punctual-jdbc-notify", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  public void start() {
    listener.add(receiver);
  }

  @Override
  public String client() {
    return client;
  }

  @Override
  public void changed(String queue, long dueMillis, long untilMicros, long patienceMillis) {
    if (untilMicros > SOON_MICROS || closed) {
      return;
    }
    Notification hint = new Notification(Notification.Kind.CHANGED, client, queue, 0, dueMillis);
    if (patienceMillis == 0) {
      send(hint);
      return;
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    boolean isFirst;
    synchronized (ready) {
      Waiting earlier = waiting.get(queue);
      isFirst = earlier == null;
      waiting.put(queue, earlier == null ? new Waiting(hint, end) : earlier.merge(hint));
    }
    if (isFirst && !schedule(() -> waited(queue, end), patienceMillis)) {
      boolean unused = sendNow(queue);
    }
  }

  /** Sends the hint that waits until this time, unless it was withdrawn. */
  private void waited(String queue, long endNanos) {
    boolean isWithdrawn;
    synchronized (ready) {
      Waiting hint = waiting.get(queue);
      isWithdrawn = hint == null || hint.endNanos() != endNanos;
    }
    if (!isWithdrawn) {
      boolean unused = sendNow(queue);
    }
  }

  @Override
  public void withdraw(String queue) {
    synchronized (ready) {
      waiting.remove(queue);
    }
  }

  @Override
  public boolean sendNow(String queue) {
    Waiting hint;
    synchronized (ready) {
      hint = waiting.remove(queue);
    }
    if (hint != null) {
      send(hint.hint());
    }
    return hint != null;
  }

  @Override
  public void noRoom(String ended, String queue, long nextMillis) {
    send(new Notification(Notification.Kind.NO_ROOM, ended, queue, 0, nextMillis));
  }

  @Override
  public void onDuty(String queue, long claimMicros) {
    send(new Notification(Notification.Kind.ON_DUTY, client, queue, 0, claimMicros));
  }

  private void send(Notification notification) {
    long pause;
    synchronized (ready) {
      Notification earlier = ready.remove(key(notification));
      ready.put(key(notification), earlier == null ? notification : earlier.merge(notification));
      if (isSending || closed) {
        return;
      }
      isSending = true;
      long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastNanos);
      pause = Math.max(0, COLLECT_MILLIS - passed);
    }
    if (!schedule(this::flush, pause)) {
      synchronized (ready) {
        isSending = false;
      }
    }
  }

  private static String key(Notification notification) {
    return notification.kind() + " " + notification.queue();
  }

  /** Returns false if the store is closed, or if there is no memory for the thread. */
  private boolean schedule(Runnable task, long millis) {
    try {
      var unused = sending.schedule(task, millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      log.debug("The store is closed; close() sends the hints", e);
    } catch (Error e) {
      log.debug("There is no thread to send a hint; the next hint sends it, too", e);
    }
    return false;
  }

  private void flush() {
    List<Notification> sent;
    synchronized (ready) {
      sent = List.copyOf(ready.values());
      ready.clear();
      isSending = false;
      lastNanos = System.nanoTime();
    }
    try {
      transactions.run(connection -> send(connection, sent));
    } catch (RuntimeException e) {
      log.debug("A hint to other processes was not sent; their safety checks find the message", e);
    }
  }

  private boolean send(Connection connection, List<Notification> sent) throws SQLException {
    String sql =
        "SELECT pg_notify("
            + Listener.CHANNEL
            + ", "
            + dialect.nowMicros()
            + " || ' ' || text), set_config('synchronous_commit', 'off', true)"
            + " FROM unnest(?::text[]) AS sent (text)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Object[] texts = sent.stream().map(Notification::text).toArray();
      statement.setArray(1, connection.createArrayOf("text", texts));
      return statement.execute();
    }
  }

  /**
   * Sends the hints that wait, stops listening and sending, and waits up to two seconds until the
   * connections are returned to the pool.
   */
  @Override
  public void close() {
    closed = true;
    sending.shutdown();
    boolean sends;
    synchronized (ready) {
      waiting
          .values()
          .forEach(each -> ready.merge(key(each.hint()), each.hint(), Notification::merge));
      waiting.clear();
      ready.values().removeIf(each -> each.kind() == Notification.Kind.ON_DUTY);
      sends = !ready.isEmpty();
    }
    if (sends) {
      flush();
    }
    try {
      // First, because it takes effect even if this thread is interrupted.
      listener.remove(receiver);
      boolean unused = sending.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
