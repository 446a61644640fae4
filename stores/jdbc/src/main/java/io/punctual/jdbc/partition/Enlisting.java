package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.internal.log.Logs;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Executes operations in a transaction of the application. Immutable, so safe for use by many
 * threads.
 */
record Enlisting(String queue, StoreParts parts, StoreThreads threads, String mark) {
  private static final Logger log = Logs.of(Enlisting.class);

  /**
   * How long a transaction waits for the creation of a queue on a second connection, in
   * milliseconds. The wait is short, because the pool may have no free connection.
   */
  private static final int CREATE_MILLIS = 250;

  /** The condition that is true in all tables. */
  private static final String ANY_TABLES = "1 = 1";

  /** The savepoint before the first statement of a call. */
  private static final String BEFORE = "punctual_call";

  private static final String CHANGED_SINCE_SNAPSHOT =
      "A different transaction changed the message after the first statement of this transaction,"
          + " which the isolation REPEATABLE READ or SERIALIZABLE does not allow. Roll back, and"
          + " repeat the transaction. The renewal of a lease is such a change: in a handler, settle"
          + " the delivery before all other statements of the transaction, or use READ COMMITTED. ";

  Enlisting(String queue, StoreParts parts, StoreThreads threads) {
    this(queue, parts, threads, parts.markers().isMarked());
  }

  /**
   * The result of the operations.
   *
   * @param now the time of the database's clock
   */
  record Enlisted(Applying.Applied applied, EngineTime now) {
    Enlisted withoutEffect() {
      return new Enlisted(new Applying.Applied(applied.outcomes(), Earliest.NONE), now);
    }
  }

  Enlisted apply(JoinedConnection joined, List<Operation> operations) {
    Connection connection = joined.connection();
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "The connection has no open transaction, because it commits each statement; call"
                + " setAutoCommit(false) first");
      }
      return applyInSameTables(connection, operations);
    } catch (OtherTablesException e) {
      throw new IllegalArgumentException(
          "The transaction does not see the tables of "
              + parts.transactions().description()
              + ": its connection is to a different database or schema, where no worker of this"
              + " store would find the message. Use a connection of the store's database and"
              + " schema; with a database or schema for each tenant, use a store for each",
          e);
    } catch (SQLException e) {
      boolean wasNotUndone = e.getSuppressed().length > 0;
      joined.failed(e, parts.dialect().rollsBackAt(e) || wasNotUndone);
      if (SqlFailures.isChangedSinceSnapshot(e)) {
        throw new Partition.NotSentException(CHANGED_SINCE_SNAPSHOT + e.getMessage(), e);
      }
      throw SqlFailures.notDone(parts.transactions().description(), e);
    }
  }

  /**
   * Executes operations, unless the transaction sees the tables of a different store. The mark of
   * this store's tables may be missing, because the table was emptied or the mark is old. Then it
   * is written again, by this call or by a call at the same time. A transaction with an older
   * snapshot still does not see it.
   */
  private Enlisted applyInSameTables(Connection connection, List<Operation> operations)
      throws SQLException {
    try {
      return applyWhole(connection, operations);
    } catch (OtherTablesException e) {
      boolean wasMissing = parts.transactions().run(parts.markers()::mark);
      String again = wasMissing ? ANY_TABLES : mark;
      return new Enlisting(queue, parts, threads, again).applyWhole(connection, operations);
    }
  }

  /**
   * Executes operations as a whole or not at all, because the application may commit after a
   * failure.
   */
  private Enlisted applyWhole(Connection connection, List<Operation> operations)
      throws SQLException {
    if (operations.size() <= 1) {
      return applyIn(connection, operations);
    }
    execute(connection, "SAVEPOINT " + BEFORE);
    try {
      Enlisted done = applyIn(connection, operations);
      if (done.applied().outcomes().stream().anyMatch(Outcome.Full.class::isInstance)) {
        execute(connection, "ROLLBACK TO SAVEPOINT " + BEFORE);
        done = done.withoutEffect();
      }
      execute(connection, "RELEASE SAVEPOINT " + BEFORE);
      return done;
    } catch (SQLException | RuntimeException e) {
      if (!(e instanceof SQLException failure) || !parts.dialect().rollsBackAt(failure)) {
        undo(connection, e);
      }
      throw e;
    }
  }

  /**
   * Undoes the statements of a failed call. If the savepoint is gone, because the connection or the
   * transaction has ended, adds that failure to the failure of the call.
   */
  private static void undo(Connection connection, Exception failure) {
    try {
      execute(connection, "ROLLBACK TO SAVEPOINT " + BEFORE);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** Executes a statement. Drivers refuse the methods for savepoints in XA transactions. */
  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Executes operations in steps, because a statement has a limited number of parameters. */
  private Enlisted applyIn(Connection connection, List<Operation> operations) throws SQLException {
    QueueRow row = find(connection, operations);
    long micros = row == null ? parts.queues().nowMicros(connection) : row.nowMicros();
    EngineTime now = new EngineTime(micros);
    List<Outcome> outcomes = new ArrayList<>(operations.size());
    Earliest earliest = Earliest.NONE;
    for (int from = 0; from < operations.size(); from += Partition.MAX_OPERATIONS) {
      int to = Math.min(from + Partition.MAX_OPERATIONS, operations.size());
      Applying.Applied step =
          parts.joining().apply(connection, row, operations.subList(from, to), now);
      outcomes.addAll(step.outcomes());
      earliest = earliest.min(step.earliest());
    }
    return new Enlisted(new Applying.Applied(outcomes, earliest), now);
  }

  private @Nullable QueueRow find(Connection connection, List<Operation> operations)
      throws SQLException {
    if (operations.stream().noneMatch(Operation::mayAddMessage)) {
      QueueRow found = find(connection, false);
      // At REPEATABLE READ, only a read with a lock sees a queue that was created after the
      // transaction's first read.
      return found == null && parts.dialect().locksGaps() ? find(connection, true) : found;
    }
    boolean isAbsent = parts.dialect().locksGaps() && find(connection, false) == null;
    // A read with a lock would lock the absent name, so that the second connection could not create
    // the queue.
    QueueRow row = isAbsent ? null : find(connection, true);
    if (row == null) {
      row = create(connection);
    }
    if (row == null) {
      throw new Partition.NotSentException(
          "The queue was created after the transaction began; repeat the transaction", null);
    }
    return row;
  }

  /**
   * Creates the queue on a second connection. In the transaction of the caller, the new row would
   * block all other clients of the queue until the end of the transaction. If the pool has no free
   * connection in time, for example because other transactions use all of them, creates the queue
   * in the transaction of the caller.
   */
  private @Nullable QueueRow create(Connection connection) throws SQLException {
    if (!createdApart()) {
      try {
        return parts.queues().create(connection, queue);
      } catch (SQLException e) {
        // The second connection may have created the queue just too late. On the databases whose
        // INSERT fails then, the transaction continues.
        if (!SqlFailures.isDuplicate(e)) {
          throw e;
        }
      }
    }
    return find(connection, true);
  }

  private @Nullable QueueRow find(Connection connection, boolean keep) throws SQLException {
    return parts.queues().findJoined(connection, queue, mark, keep);
  }

  private boolean createdApart() {
    AtomicBoolean isGivenUp = new AtomicBoolean();
    Future<Boolean> created =
        threads.lookUp(() -> createApart(isGivenUp::get)).toCompletableFuture();
    try {
      return created.get(CREATE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("Queue '{}' is created in the transaction of the caller", queue, e);
    } finally {
      isGivenUp.set(true);
    }
    return false;
  }

  /**
   * Creates the queue in a separate transaction. Returns false without effect if the caller has
   * given up: the caller then creates the queue, and the INSERT of this method would wait for the
   * end of the caller's transaction, on a thread that the look-ups of all queues need. For the same
   * reason, does not try again after a lock timeout.
   */
  private boolean createApart(BooleanSupplier isGivenUp) {
    return !isGivenUp.getAsBoolean()
        && parts
            .transactions()
            .run(connection -> !isGivenUp.getAsBoolean() && createOrTimeOut(connection));
  }

  private boolean createOrTimeOut(Connection connection) throws SQLException {
    try {
      parts.queues().boundLockWaits(connection, CREATE_MILLIS);
      if (parts.queues().findAndKeep(connection, queue) == null) {
        QueueRow unused = parts.queues().create(connection, queue);
      }
      return true;
    } catch (SQLException e) {
      if (!SqlFailures.isLockTimeout(e)) {
        throw e;
      }
      connection.rollback();
      return false;
    }
  }
}
