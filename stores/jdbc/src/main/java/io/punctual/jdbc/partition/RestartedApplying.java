package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Executes a call that waited too long for locks, like {@link SplitApplying}, but on a database on
 * which a lock timeout rolls back the whole transaction with its savepoints. Each lock timeout
 * fails the transaction. The next transaction of the call splits the operations that failed into
 * two halves, and executes each half. After half a second, a half whose transaction fails is not
 * split again: its operations fail. For a single thread.
 */
final class RestartedApplying {
  private final List<Operation> operations;
  private final List<Part> parts = new ArrayList<>();
  private final long endNanos = System.nanoTime() + SplitApplying.MAX_NANOS;

  private final Predicate<Operation> isHeld;

  /**
   * Creates an instance.
   *
   * @param isHeld returns whether the locked message of an operation belongs to an open
   *     transaction; otherwise the next transaction tries to lock the message again
   */
  RestartedApplying(List<Operation> operations, Predicate<Operation> isHeld) {
    this.operations = operations;
    this.isHeld = isHeld;
    parts.add(new Part(0, operations.size(), false));
  }

  /**
   * Adjacent operations that are executed together.
   *
   * @param from the index of the first operation
   * @param to the index after the last operation
   * @param busy whether the operations are skipped, because a message is locked
   */
  private record Part(int from, int to, boolean busy) {}

  /**
   * Executes the operations in a new transaction. After an exception, the caller must call this
   * method again in a new transaction.
   */
  Applying.Applied apply(
      Applying applying, Connection connection, @Nullable QueueRow queue, EngineTime now)
      throws SQLException {
    List<Outcome> outcomes = new ArrayList<>(operations.size());
    Earliest earliest = Earliest.NONE;
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      List<Operation> asked = operations.subList(part.from(), part.to());
      if (part.busy()) {
        asked.forEach(operation -> outcomes.add(SplitApplying.busy(operation)));
        continue;
      }
      try {
        Applying.Applied applied = applying.apply(connection, queue, asked, now);
        outcomes.addAll(applied.outcomes());
        earliest = earliest.min(applied.earliest());
      } catch (SQLException e) {
        if (SqlFailures.isLockTimeout(e)) {
          failed(i, part);
        }
        throw e;
      }
    }
    return new Applying.Applied(outcomes, earliest);
  }

  private void failed(int index, Part part) {
    boolean isLate = System.nanoTime() - endNanos > 0 && parts.stream().anyMatch(Part::busy);
    boolean isLast = part.to() - part.from() == 1 || isLate;
    List<Operation> locked = operations.subList(part.from(), part.to());
    if (isLast && locked.stream().noneMatch(isHeld)) {
      return;
    }
    parts.remove(index);
    if (isLast) {
      parts.add(index, new Part(part.from(), part.to(), true));
      return;
    }
    int middle = (part.from() + part.to()) >>> 1;
    parts.add(index, new Part(part.from(), middle, false));
    parts.add(index + 1, new Part(middle, part.to(), false));
  }
}
