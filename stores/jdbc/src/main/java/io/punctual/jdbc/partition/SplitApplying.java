package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Executes a call that waited too long for locks. Splits the operations into halves, each after a
 * savepoint, until it finds the messages that open transactions have locked. The operations on
 * these messages get the outcome {@link Outcome.Busy}. After half a second, operations that fail
 * together are not split again: all of them are busy. The other operations are executed. If a
 * locked message may belong to the call of a different client, the whole call fails with the lock
 * timeout. For a single thread.
 */
final class SplitApplying {
  /**
   * The time after which a call is not split further. Other calls of the queue wait for its end,
   * for example renewals of leases.
   */
  static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Applying applying;
  private final Connection connection;
  private final @Nullable QueueRow queue;
  private final List<Operation> operations;
  private final EngineTime now;
  private final Predicate<Operation> isHeld;
  private final Outcome[] outcomes;
  private final long endNanos = System.nanoTime() + MAX_NANOS;
  private Earliest earliest = Earliest.NONE;

  /** Whether the call has found a message of an open transaction. */
  private boolean isAnyBusy;

  /**
   * Creates an instance.
   *
   * @param isHeld returns whether the locked message of an operation belongs to an open transaction
   */
  SplitApplying(
      Applying applying,
      Connection connection,
      @Nullable QueueRow queue,
      List<Operation> operations,
      EngineTime now,
      Predicate<Operation> isHeld) {
    this.applying = applying;
    this.connection = connection;
    this.queue = queue;
    this.operations = operations;
    this.now = now;
    this.isHeld = isHeld;
    this.outcomes = new Outcome[operations.size()];
  }

  Applying.Applied apply() throws SQLException {
    apply(0, operations.size());
    return new Applying.Applied(List.of(outcomes), earliest);
  }

  private void apply(int from, int to) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      noteAll(from, applying.apply(connection, queue, operations.subList(from, to), now));
      connection.releaseSavepoint(before);
    } catch (SQLException e) {
      boolean isLast = to - from == 1 || (isAnyBusy && System.nanoTime() - endNanos > 0);
      if (!SqlFailures.isLockTimeout(e) || (isLast && !isAnyHeld(from, to))) {
        throw e;
      }
      connection.rollback(before);
      connection.releaseSavepoint(before);
      if (isLast) {
        isAnyBusy = true;
        Arrays.setAll(outcomes, i -> i >= from && i < to ? busy(operations.get(i)) : outcomes[i]);
        return;
      }
      int middle = (from + to) >>> 1;
      apply(from, middle);
      apply(middle, to);
    }
  }

  private boolean isAnyHeld(int from, int to) {
    return operations.subList(from, to).stream().anyMatch(isHeld);
  }

  private void noteAll(int from, Applying.Applied applied) {
    for (Outcome outcome : applied.outcomes()) {
      outcomes[from++] = outcome;
    }
    earliest = earliest.min(applied.earliest());
  }

  /** Returns the result of a call that needs a queue which an open transaction has created. */
  static Applying.Applied newQueueIsBusy(String queue, List<Operation> operations) {
    Outcome busy =
        new Outcome.Busy(
            "Queue '"
                + queue
                + "' was created by a transaction that is still open, or its table is locked;"
                + " nothing was done. Repeat the call when the transaction has ended");
    return new Applying.Applied(Collections.nCopies(operations.size(), busy), Earliest.NONE);
  }

  static Outcome busy(Operation operation) {
    return new Outcome.Busy(
        "The message '"
            + operation.id()
            + "', or a message of the same call, was changed by a transaction that is still open,"
            + " or the table is locked; nothing was done. Repeat the call when the transaction has"
            + " ended");
  }
}
