package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The connections that the store has borrowed. Some of them are its reserve, which it keeps: if the
 * handlers of an application held all connections of a pool, and waited for the store, they would
 * otherwise wait for each other. Each connection is returned after some time, so that the pool can
 * renew it, but the reserve only when its replacement is there. Separate threads ask for
 * connections, because a caller takes what is free first: a new connection, or one that a different
 * caller gives back. Safe for use by many threads.
 */
public final class Connections {
  private static final Logger log = Logs.of(Connections.class);

  /** How long a caller waits. Less than the default time-out of a blocking call, 5 seconds. */
  private static final long PATIENCE_SECONDS = 3;

  /** The pause after a failure of the lender, which may refuse connections at once. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long WARN_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long OLD_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long IDLE_SECONDS = 10;

  private final Lender lender;
  private final ThreadPoolExecutor askers;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition changed = lock.newCondition();
  private final Condition closing = lock.newCondition();

  // The lock guards the following fields.

  /** The connections that nobody uses; the last was used most recently. */
  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<BorrowedConnection> idle = new LinkedList<>();

  /** The number of connections that are kept while nobody uses them. */
  private int reserve;

  /** How long a connection beyond the reserve is kept while nobody uses it. */
  private long lingerNanos;

  /** The number of borrowed connections. */
  private int held;

  /** The number of requests that the lender has not answered. */
  private int asked;

  /** The number of callers that wait. */
  private int waiting;

  private @Nullable SQLException failure;
  private long failedNanos;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;
  private boolean sweeps;
  private boolean closed;

  /** Creates the connections of a store, which has none yet. */
  public Connections(Lender lender) {
    this(lender, Connections::thread);
  }

  Connections(Lender lender, ThreadFactory threads) {
    this.lender = lender;
    askers =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(null, task, "punctual-jdbc-connect", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Sets what the store keeps while it does not need it.
   *
   * @param kept the number of connections of the reserve
   * @param lingerMillis how long further connections are kept
   */
  public void keep(int kept, long lingerMillis) {
    lock.lock();
    try {
      reserve = kept;
      lingerNanos = TimeUnit.MILLISECONDS.toNanos(lingerMillis);
      ask(kept - held - asked);
      sweepSoon();
    } finally {
      lock.unlock();
    }
    returnAll(surplus());
  }

  /**
   * Finds out how many connections the lender has, up to a number: borrows so many, waits for a
   * limited time, and returns how many it lent. An interrupt does not end the wait: the number of
   * that moment would stay the size of the pool.
   */
  int tryOut(int count, long millis) {
    boolean isInterrupted = false;
    lock.lock();
    try {
      reserve = count;
      ask(count - held - asked);
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      for (long left = end - System.nanoTime(); held < count && asked > 0 && left > 0; ) {
        try {
          left = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          isInterrupted = true;
          left = end - System.nanoTime();
        }
      }
      return held;
    } finally {
      lock.unlock();
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Takes a connection, for which the caller must call {@link #giveBack}.
   *
   * @throws SQLException if there is none within 3 seconds, or if the lender has failed
   */
  BorrowedConnection take() throws SQLException {
    while (true) {
      BorrowedConnection taken = await();
      if (taken.works()) {
        return taken;
      }
      giveBack(taken, false);
    }
  }

  private BorrowedConnection await() throws SQLException {
    long began = System.nanoTime();
    lock.lock();
    waiting++;
    try {
      while (idle.isEmpty()) {
        if (closed) {
          throw new SQLException("The SQL store has been closed");
        }
        SQLException failed = failure;
        if (failed != null && held == 0 && failedNanos - began > 0) {
          throw failed;
        }
        long now = System.nanoTime();
        boolean pauses = failed != null && now - failedNanos < RETRY_NANOS;
        ask(pauses ? 0 : waiting - asked);
        long longest = pauses ? RETRY_NANOS : Long.MAX_VALUE;
        long unused = changed.awaitNanos(Math.min(longest, nanosToWait(now - began)));
      }
      return idle.removeLast();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("The thread was interrupted while it waited for a connection", e);
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  /** Returns the time until the warning, or after it until the end of the patience. */
  private long nanosToWait(long waited) throws SQLException {
    long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS) - waited;
    if (left <= 0) {
      throw lender.exhausted(PATIENCE_SECONDS, failure);
    }
    if (waited > WARN_NANOS) {
      warn();
      return left;
    }
    return WARN_NANOS - waited + 1;
  }

  private void warn() {
    long now = System.nanoTime();
    if (now - warnedNanos > WARN_EVERY_NANOS) {
      warnedNanos = now;
      log.warn(
          "The store has waited for a second for a connection of {}{}. If handlers hold its"
              + " connections, give it more, or set a lower concurrency",
          lender.name(),
          lender.use());
    }
  }

  /** Asks for connections on further threads. The caller holds the lock. */
  private void ask(int count) {
    for (int i = 0; i < count; i++) {
      asked += begin(this::borrow) ? 1 : 0;
    }
  }

  /**
   * Begins a task on a further thread. Returns false if the store is closed, or if there is no
   * memory for a thread. The caller holds the lock.
   */
  private boolean begin(Runnable task) {
    try {
      askers.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      log.debug("The store is closed", e);
    } catch (Error e) {
      failed(new SQLException("There is no thread for a connection: " + e, e));
    }
    return false;
  }

  /** Notes a failure of the lender. The caller holds the lock. */
  private void failed(@Nullable SQLException last) {
    failure = last;
    failedNanos = System.nanoTime();
  }

  private void borrow() {
    BorrowedConnection borrowed = null;
    SQLException failed = null;
    try {
      borrowed = lender.borrow();
    } catch (SQLException e) {
      failed = e;
    } catch (RuntimeException | Error e) {
      // An error, such as a lack of memory for a thread, may pass.
      failed = new SQLException("The data source failed: " + e, e);
    }
    lock.lock();
    try {
      asked--;
      if (borrowed == null) {
        failed(failed);
      } else {
        failure = null;
        held++;
        idle.addLast(borrowed);
        sweepSoon();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    returnAll(surplus());
  }

  /**
   * Gives a connection back.
   *
   * @param works whether it can be used again
   */
  void giveBack(BorrowedConnection taken, boolean works) {
    lock.lock();
    try {
      if (works) {
        taken.used();
        idle.addLast(taken);
      } else {
        held--;
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
    if (works) {
      returnAll(surplus());
    } else {
      lender.discard(taken.connection());
    }
  }

  /** Returns whether a transaction may have failed because of its connection. */
  boolean mayHaveFailed(SQLException failure) {
    return lender.mayBeOfConnection(failure);
  }

  /** Removes the idle connections that the store does not keep. */
  private List<BorrowedConnection> surplus() {
    List<BorrowedConnection> removed = new ArrayList<>();
    lock.lock();
    try {
      Iterator<BorrowedConnection> each = idle.iterator();
      while (each.hasNext() && (closed || (held > reserve && idle.size() > waiting))) {
        BorrowedConnection one = each.next();
        if (closed || one.ageNanos() > OLD_NANOS || one.idleNanos() >= lingerNanos) {
          each.remove();
          held--;
          removed.add(one);
        }
      }
    } finally {
      lock.unlock();
    }
    return removed;
  }

  private void returnAll(List<BorrowedConnection> returned) {
    returned.forEach(lender::giveBack);
  }

  /** Begins the sweeps, unless they have begun. The caller holds the lock. */
  private void sweepSoon() {
    if (!sweeps && !closed) {
      sweeps = begin(this::sweep);
    }
  }

  /** Sweeps at an interval, until nothing is borrowed or kept. */
  private void sweep() {
    boolean goesOn = true;
    while (goesOn) {
      lock.lock();
      try {
        goesOn = false;
        goesOn = awaitSweep();
      } finally {
        sweeps = goesOn;
        lock.unlock();
      }
      returnAll(surplus());
    }
  }

  /**
   * Waits for the time of a sweep, and asks for the connections of the reserve that are missing or
   * old. Returns whether a further sweep follows. The caller holds the lock.
   */
  private boolean awaitSweep() {
    try {
      for (long left = SWEEP_NANOS; !closed && left > 0; ) {
        left = closing.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    boolean hasOld = idle.stream().anyMatch(one -> one.ageNanos() > OLD_NANOS);
    if (asked == 0 && !closed) {
      ask(reserve - held + (hasOld ? 1 : 0));
    }
    return !closed && (held > 0 || reserve > 0);
  }

  /** Returns all connections, those in use when their transactions end. */
  public void close() {
    List<BorrowedConnection> all;
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      closing.signalAll();
      all = surplus(); // under the lock, so that no sweep returns them after this method
    } finally {
      lock.unlock();
    }
    returnAll(all);
    askers.shutdown();
  }
}
