package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Runs transactions on the connections of the store. Safe for use by many threads. */
public final class TransactionRunner {
  private static final Logger log = Logs.of(TransactionRunner.class);
  private static final int MAX_CONFLICTS = 100;

  /**
   * The longest time for which a transaction with conflicts is repeated. It is shorter than the
   * default timeout of an operation, 60 seconds.
   */
  private static final long CONFLICT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long RESOLVE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long RESOLVE_PAUSE_MILLIS = 200;

  /**
   * How often a transaction is repeated on a different connection, if a connection fails soon. What
   * it answers again and again may be its own fault, so a failed connection is not used again.
   */
  private static final int MAX_FAILED = 2;

  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Connections connections;
  private final String description;
  private volatile boolean closed;

  public TransactionRunner(Connections connections, String description) {
    this.connections = connections;
    this.description = description;
  }

  /**
   * Stops the repetition of transactions, so that no transaction takes effect long after the close
   * of the store.
   */
  public void close() {
    closed = true;
  }

  /** Returns the database's URL without its options, which may contain a password. */
  public String description() {
    return description;
  }

  /**
   * Runs statements in a new transaction, and repeats it after a conflict. If the reply to the
   * commit is lost, throws an exception; the transaction may have taken effect.
   */
  public <T extends @Nullable Object> T run(Work<T> work) {
    try {
      return repeat(work);
    } catch (UndecidedException e) {
      throw SqlFailures.unknown(description, e.failure);
    }
  }

  /** Runs statements in a new transaction, and does not repeat it. */
  public <T extends @Nullable Object> T runOnce(Work<T> work) throws SQLException {
    try {
      return attempt(work);
    } catch (UndecidedException e) {
      throw e.failure;
    }
  }

  private <T extends @Nullable Object> T repeat(Work<T> work) throws UndecidedException {
    long end = System.nanoTime() + CONFLICT_NANOS;
    int failed = 0;
    for (int conflicts = 0; ; ) {
      long began = System.nanoTime();
      try {
        return attempt(work);
      } catch (SQLException e) {
        if (closed) {
          throw SqlFailures.notDone(description, e);
        } else if (SqlFailures.isConflict(e)) {
          if (conflicts++ >= MAX_CONFLICTS || System.nanoTime() - end >= 0) {
            throw SqlFailures.notDone(description, e);
          }
          pause(
              ThreadLocalRandom.current()
                  .nextLong(1 + Math.min(conflicts * 2L, LONGEST_PAUSE_MILLIS)));
        } else if (!connections.mayHaveFailed(e)
            || SqlFailures.isNotPrepared(e)
            || failed++ >= MAX_FAILED
            || System.nanoTime() - began > SOON_NANOS) {
          throw SqlFailures.notDone(description, e);
        }
      }
    }
  }

  /**
   * Makes a change exactly once. The change has no effect if this method throws a {@link
   * Partition.NotSentException} or {@link Partition.PartitionException}. After any other {@code
   * PunctualException} the result is unknown, until {@link #resolve} finds it out.
   */
  public <T> T make(ResolvableTransaction<T> change) {
    try {
      return repeat(change::make);
    } catch (UndecidedException e) {
      log.warn("{} lost the connection during a commit, and looks for its result", description);
      T result = resolve(change);
      if (result == null) {
        throw SqlFailures.rolledBack(description, e.failure);
      }
      return result;
    }
  }

  /**
   * Looks up whether a change was committed. After 20 seconds without an answer of the database,
   * throws an exception.
   *
   * @return the result of the change, or null if it was rolled back
   */
  public <T> @Nullable T resolve(ResolvableTransaction<T> change) {
    long end = System.nanoTime() + RESOLVE_NANOS;
    while (true) {
      try {
        return attempt(change::resolve);
      } catch (UndecidedException e) {
        throwAfter(end, e.failure);
      } catch (SQLException e) {
        throwAfter(end, e);
      }
    }
  }

  private void throwAfter(long end, SQLException failure) {
    if (closed || System.nanoTime() - end > 0) {
      throw SqlFailures.unknown(description, failure);
    }
    pause(RESOLVE_PAUSE_MILLIS);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("NullAway") // The result is null only if T includes null.
  private <T extends @Nullable Object> T attempt(Work<T> work)
      throws SQLException, UndecidedException {
    BorrowedConnection borrowed = connections.take();
    boolean works = false;
    boolean complete = false;
    try {
      borrowed.begin();
      T result = work.run(borrowed.statements());
      commit(borrowed.connection());
      works = true;
      complete = true;
      return result;
    } catch (SQLException e) {
      works = !connections.mayHaveFailed(e);
      throw e;
    } catch (RuntimeException e) {
      works = true;
      throw e;
    } finally {
      connections.giveBack(borrowed, works && (complete || rollBack(borrowed.connection())));
    }
  }

  /** Rolls back. Returns false if the connection does not work any more. */
  private static boolean rollBack(Connection connection) {
    try {
      connection.rollback();
      return true;
    } catch (SQLException | RuntimeException | Error e) { // the caller has to give it back
      log.debug("A connection could not be rolled back, and is replaced", e);
      return false;
    }
  }

  private static void commit(Connection connection) throws SQLException, UndecidedException {
    try {
      connection.commit();
    } catch (SQLException e) {
      if (SqlFailures.isRolledBack(e)) {
        throw e;
      }
      throw new UndecidedException(e);
    }
  }

  /** Thrown if the reply to a commit was lost. */
  private static final class UndecidedException extends Exception {
    private static final long serialVersionUID = 1L;

    final transient SQLException failure;

    UndecidedException(SQLException failure) {
      super(failure);
      this.failure = failure;
    }
  }
}
