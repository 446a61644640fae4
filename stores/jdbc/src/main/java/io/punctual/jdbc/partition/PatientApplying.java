package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes the operations of a call, whose transaction is repeated after each refused lock. While
 * the calls of other clients change the locked messages, the call tries again with all operations.
 * Once an open transaction seems to have locked a message, the call is split, and only the
 * operations on such messages fail. For a single thread.
 */
final class PatientApplying {
  /**
   * The lock timeout of the first attempt, in milliseconds. The attempt is short, because the watch
   * of the locked messages begins with the second.
   */
  private static final int FIRST_LOCK_MILLIS = 50;

  static final long FIRST_LOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(FIRST_LOCK_MILLIS);

  /** The lock timeout of each part of a split call, in milliseconds. */
  private static final int SPLIT_LOCK_MILLIS = 20;

  private final StoreParts parts;
  private final List<Operation> operations;
  private final Set<String> ids = new LinkedHashSet<>();
  private final LockWatch watch;
  private boolean isRepeated;
  private boolean wasRefused;
  private boolean split;

  /** Whether the table of messages is locked even against reads, for example by a migration. */
  private boolean isTableLocked;

  /** Whether a call of a different client has changed a message that was locked. */
  private boolean hasMoved;

  /**
   * Creates an instance.
   *
   * @param patienceNanos how long a locked message must stay unchanged to count as locked by an
   *     open transaction
   * @param wasRefused whether the call was refused a lock before
   */
  PatientApplying(
      StoreParts parts, List<Operation> operations, long patienceNanos, boolean wasRefused) {
    this.parts = parts;
    isRepeated = wasRefused;
    this.wasRefused = wasRefused;
    this.operations = operations;
    operations.forEach(operation -> ids.add(operation.id()));
    watch =
        new LockWatch(parts.dialect().refusalsOfOpenTransaction(), patienceNanos, System::nanoTime);
  }

  /** Begins an attempt, and returns its lock timeout in milliseconds. */
  int begin() {
    boolean isFirst = !isRepeated;
    isRepeated = true;
    if (split) {
      return SPLIT_LOCK_MILLIS;
    }
    return isFirst ? FIRST_LOCK_MILLIS : JdbcCalls.LOCK_MILLIS;
  }

  /** Executes the operations. After an exception, the caller may try again in a new transaction. */
  Applying.Applied apply(Connection connection, @Nullable QueueRow queue, EngineTime now)
      throws SQLException {
    if (wasRefused && queue != null) {
      watch.read(ids, versions(connection, queue));
      split |= watch.isRipe();
    }
    try {
      return attempt(connection, queue, now);
    } catch (SQLException e) {
      if (SqlFailures.isLockTimeout(e)) {
        refused();
      }
      throw e;
    }
  }

  /** Reads the versions of the messages; none once the lock of the table has refused a read. */
  private Map<String, String> versions(Connection connection, QueueRow queue) throws SQLException {
    if (isTableLocked) {
      return Map.of();
    }
    try {
      return parts.messages().versions(connection, queue.id(), ids);
    } catch (SQLException e) {
      isTableLocked = SqlFailures.isLockTimeout(e);
      throw e;
    }
  }

  private Applying.Applied attempt(Connection connection, @Nullable QueueRow queue, EngineTime now)
      throws SQLException {
    Applying applying = parts.applying();
    return split
        ? new SplitApplying(applying, connection, queue, operations, now, this::isHeld).apply()
        : applying.apply(connection, queue, operations, now);
  }

  /** Returns whether a locked message belongs to an open transaction. */
  private boolean isHeld(Operation operation) {
    hasMoved |= watch.hasChanged(operation.id());
    return watch.isHeld(operation.id());
  }

  /** Makes the next attempt execute all operations together again if a locked message changed. */
  private void refused() {
    wasRefused = true;
    if (hasMoved) {
      hasMoved = false;
      split = false;
      watch.restart();
    }
  }
}
