package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes a call that waited too long for locks. Splits the operations into halves, each after a
 * savepoint, until it finds the messages that open transactions have locked. The operations on
 * these messages get the outcome {@link Outcome.Busy}, and so do operations that remain after a
 * second. The other operations are executed. For a single thread.
 */
final class SplitApplying {
  /**
   * The time after which a split call executes no further operations. Other calls of the queue wait
   * for its end, for example renewals of leases.
   */
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Applying applying;
  private final Connection connection;
  private final @Nullable QueueRow queue;
  private final List<Operation> operations;
  private final EngineTime now;
  private final Outcome[] outcomes;
  private final long endNanos = System.nanoTime() + MAX_NANOS;
  private long earliestMillis = Long.MAX_VALUE;

  SplitApplying(
      Applying applying,
      Connection connection,
      @Nullable QueueRow queue,
      List<Operation> operations,
      EngineTime now) {
    this.applying = applying;
    this.connection = connection;
    this.queue = queue;
    this.operations = operations;
    this.now = now;
    this.outcomes = new Outcome[operations.size()];
  }

  Applying.Applied apply() throws SQLException {
    apply(0, operations.size());
    return new Applying.Applied(List.of(outcomes), earliestMillis);
  }

  private void apply(int from, int to) throws SQLException {
    if (System.nanoTime() - endNanos > 0) {
      for (int i = from; i < to; i++) {
        outcomes[i] = busy(operations.get(i));
      }
      return;
    }
    Savepoint before = connection.setSavepoint();
    try {
      noteAll(from, applying.apply(connection, queue, operations.subList(from, to), now));
      connection.releaseSavepoint(before);
    } catch (SQLException e) {
      if (!SqlFailures.isLockTimeout(e)) {
        throw e;
      }
      connection.rollback(before);
      connection.releaseSavepoint(before);
      if (to - from == 1) {
        outcomes[from] = busy(operations.get(from));
        return;
      }
      int middle = (from + to) >>> 1;
      apply(from, middle);
      apply(middle, to);
    }
  }

  private void noteAll(int from, Applying.Applied applied) {
    for (Outcome outcome : applied.outcomes()) {
      outcomes[from++] = outcome;
    }
    earliestMillis = Math.min(earliestMillis, applied.earliestMillis());
  }

  /** Returns the result of a call that needs a queue which an open transaction has created. */
  static Applying.Applied newQueueIsBusy(String queue, List<Operation> operations) {
    Outcome busy =
        new Outcome.Busy(
            "Queue '"
                + queue
                + "' was created by a transaction that is still open, or its table is locked;"
                + " nothing was done. Repeat the call when the transaction has ended");
    return new Applying.Applied(Collections.nCopies(operations.size(), busy), Long.MAX_VALUE);
  }

  static Outcome busy(Operation operation) {
    return new Outcome.Busy(
        "The message '"
            + operation.id()
            + "', or a message of the same call, was changed by a transaction that is still open, or"
            + " the table is locked; nothing was done. Repeat the call when the transaction has"
            + " ended");
  }
}
