package io.punctual.jdbc.sql;

import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs transactions on connections of a data source. Safe for use by many threads. */
public final class Transactions {
  private static final Logger log = LoggerFactory.getLogger(Transactions.class);
  private static final int MAX_CONFLICTS = 100;

  /**
   * The longest time for which a transaction with conflicts is repeated. It is shorter than the
   * default timeout of an operation, 60 seconds.
   */
  private static final long CONFLICT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long RESOLVE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long RESOLVE_PAUSE_MILLIS = 200;

  private final DataSource source;
  private final String description;
  private final PoolSettings pool;
  private volatile boolean closed;

  /**
   * Creates the transactions of a database.
   *
   * @param pool the settings of the source's connections
   */
  public Transactions(DataSource source, String description, PoolSettings pool) {
    this.source = source;
    this.description = description;
    this.pool = pool;
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

  private <T extends @Nullable Object> T repeat(Work<T> work) throws UndecidedException {
    long end = System.nanoTime() + CONFLICT_NANOS;
    for (int conflicts = 0; ; conflicts++) {
      try {
        return attempt(work);
      } catch (SQLException e) {
        boolean repeats = conflicts < MAX_CONFLICTS && System.nanoTime() - end < 0 && !closed;
        if (!SqlFailures.isConflict(e) || !repeats) {
          throw SqlFailures.notDone(description, e);
        }
        pause(
            ThreadLocalRandom.current()
                .nextLong(1 + Math.min(conflicts * 2L, LONGEST_PAUSE_MILLIS)));
      }
    }
  }

  /**
   * Makes a change exactly once. The change has no effect if this method throws a {@link
   * Partition.NotSentException} or {@link Partition.PartitionException}. After any other {@code
   * PunctualException} the result is unknown, until {@link #resolve} finds it out.
   */
  public <T> T make(Change<T> change) {
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
  public <T> @Nullable T resolve(Change<T> change) {
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
    Connection connection = source.getConnection();
    @Nullable ConnectionSettings before = null;
    boolean complete = false;
    try {
      before = ConnectionSettings.change(connection, false, ConnectionSettings.TIMEOUT_MILLIS);
      pool.change(connection);
      T result = work.run(connection);
      commit(connection);
      complete = true;
      return result;
    } finally {
      end(connection, complete, before);
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

  /**
   * Resets and closes the connection. A failure is only logged, because it does not affect the
   * result of the transaction.
   */
  private void end(Connection connection, boolean complete, @Nullable ConnectionSettings before) {
    try (connection) {
      if (before != null) {
        if (!complete) {
          connection.rollback();
        }
        try {
          pool.restore(connection);
        } finally {
          before.restore();
        }
      }
    } catch (SQLException e) {
      log.debug("A connection could not be reset and closed; the pool replaces it", e);
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
