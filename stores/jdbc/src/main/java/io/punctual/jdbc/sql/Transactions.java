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
  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long RESOLVE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long RESOLVE_PAUSE_MILLIS = 200;
  private static final int NETWORK_TIMEOUT_MILLIS = 30_000;

  private final DataSource source;
  private final String description;
  private final boolean setsIsolation;

  /**
   * Creates the runner.
   *
   * @param setsIsolation whether the isolation of new connections is not READ COMMITTED
   */
  public Transactions(DataSource source, String description, boolean setsIsolation) {
    this.source = source;
    this.description = description;
    this.setsIsolation = setsIsolation;
  }

  /**
   * Runs statements in a transaction of their own, which may take effect twice if the reply to its
   * commit is lost.
   */
  public <T extends @Nullable Object> T run(Work<T> work) {
    for (int conflicts = 0; ; conflicts++) {
      try {
        return attempt(work);
      } catch (UndecidedException e) {
        throw SqlFailures.unknown(description, e.failure);
      } catch (SQLException e) {
        awaitConflict(e, conflicts);
      }
    }
  }

  /**
   * Makes a change once. An exception of another type than {@link Partition.NotSentException} and
   * {@link Partition.PartitionException} leaves the change undecided; {@link #resolve} decides it.
   */
  public <T> T make(Change<T> change) {
    for (int conflicts = 0; ; conflicts++) {
      try {
        return attempt(change::make);
      } catch (UndecidedException e) {
        log.warn("{} lost the connection during a commit, and looks for its result", description);
        return resolve(change);
      } catch (SQLException e) {
        awaitConflict(e, conflicts);
      }
    }
  }

  /** Looks up whether a change was committed, and makes it if it was rolled back. */
  public <T> T resolve(Change<T> change) {
    long end = System.nanoTime() + RESOLVE_NANOS;
    while (true) {
      try {
        @Nullable T result = attempt(change::resolve);
        return result == null ? make(change) : result;
      } catch (UndecidedException e) {
        throwAfter(end, e.failure);
      } catch (SQLException e) {
        throwAfter(end, e);
      }
    }
  }

  private void throwAfter(long end, SQLException failure) {
    if (System.nanoTime() - end > 0) {
      throw SqlFailures.unknown(description, failure);
    }
    pause(RESOLVE_PAUSE_MILLIS);
  }

  private void awaitConflict(SQLException failure, int conflicts) {
    if (!SqlFailures.isConflict(failure) || conflicts >= MAX_CONFLICTS) {
      throw SqlFailures.notDone(description, failure);
    }
    pause(ThreadLocalRandom.current().nextLong(1 + Math.min(conflicts * 2L, LONGEST_PAUSE_MILLIS)));
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
    boolean complete = false;
    try {
      begin(connection);
      T result = work.run(connection);
      commit(connection);
      complete = true;
      return result;
    } finally {
      end(connection, complete);
    }
  }

  private void begin(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      connection.setAutoCommit(false);
    }
    if (setsIsolation) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
    if (connection.getNetworkTimeout() == 0) {
      connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
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

  /** A failure has no effect on the result of the transaction, which is known by now. */
  private static void end(Connection connection, boolean complete) {
    try (connection) {
      if (!complete) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      log.debug("A connection could not be reset and closed; the pool replaces it", e);
    }
  }

  /** A commit got no reply. */
  private static final class UndecidedException extends Exception {
    private static final long serialVersionUID = 1L;

    final transient SQLException failure;

    UndecidedException(SQLException failure) {
      super(failure);
      this.failure = failure;
    }
  }
}
