package io.punctual.jdbc.partition;

import io.punctual.embedded.CallLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executes operations inside a transaction of the caller. Immutable. */
record Enlisting(String queue, Access access) {
  /**
   * The result of the operations.
   *
   * @param now the database's time
   */
  record Enlisted(Applying.Applied applied, EngineTime now) {}

  Enlisted apply(Connection connection, List<Operation> operations) {
    CallLimits.check(new Call.Apply(operations, null), "");
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "The connection has no open transaction, because it commits each statement; call"
                + " setAutoCommit(false) first");
      }
      return applyIn(connection, operations);
    } catch (SQLException e) {
      throw SqlFailures.notDone(access.transactions().description(), e);
    }
  }

  private Enlisted applyIn(Connection connection, List<Operation> operations) throws SQLException {
    QueueRow row = find(connection, operations);
    long micros = row == null ? access.queues().nowMicros(connection) : row.nowMicros();
    EngineTime now = new EngineTime(micros);
    return new Enlisted(access.applying().apply(connection, row, operations, now), now);
  }

  private @Nullable QueueRow find(Connection connection, List<Operation> operations)
      throws SQLException {
    if (operations.stream().noneMatch(Operation.Schedule.class::isInstance)) {
      return access.queues().find(connection, queue);
    }
    QueueRow row = access.queues().findAndKeep(connection, queue);
    if (row == null) {
      create();
      row = access.queues().findAndKeep(connection, queue);
    }
    if (row == null) {
      throw new Partition.NotSentException(
          "The queue was created after the transaction began; repeat the transaction", null);
    }
    return row;
  }

  /** Outside the transaction, in which the row would block all other clients of the new queue. */
  private void create() {
    access
        .transactions()
        .run(
            connection -> {
              QueueRow row = access.queues().findAndKeep(connection, queue);
              return row == null ? access.queues().create(connection, queue) : row;
            });
  }
}
