package io.punctual.jdbc.partition;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Executes the operations of a call in a transaction: locks the rows, applies {@link
 * PartitionRules}, and writes the resulting changes. On some databases, most calls that only
 * schedule messages begin with an INSERT, and most calls that only ack consist of DELETEs. These
 * calls need not lock the rows first. Immutable, so safe for use by many threads.
 */
final class Applying {
  /**
   * The largest number of different tokens in a call of acks that is executed by a DELETE for each
   * token.
   */
  private static final int FEW_TOKENS = 4;

  private final Dialect dialect;
  private final Messages messages;
  private final Inserts inserts;
  private final StatementSize size;
  private final boolean joins;

  /**
   * Creates an instance.
   *
   * @param joins whether the operations join a transaction of the application, whose lock timeout
   *     then applies
   */
  Applying(Dialect dialect, boolean joins) {
    this.dialect = dialect;
    this.joins = joins;
    messages = new Messages(dialect);
    inserts = new Inserts(dialect);
    size = new StatementSize(dialect);
  }

  /**
   * The result of the operations.
   *
   * @param outcomes an outcome for each operation
   * @param earliest the earliest due time or end of a lease among the changed messages, and among
   *     the claimable messages that the call locked, because claims may have skipped these; {@link
   *     Earliest#NONE} if there is none. If the queue has a concurrency limit and an operation may
   *     have ended a lease, it is the current time at the latest, because the limit may then allow
   *     a further message
   */
  record Applied(List<Outcome> outcomes, Earliest earliest) {}

  /**
   * Executes operations.
   *
   * @param queue the queue, or null if it does not exist and no operation can add a message
   */
  Applied apply(
      Connection connection, @Nullable QueueRow queue, List<Operation> operations, EngineTime now)
      throws SQLException {
    Applied applied = applyFitting(connection, queue, operations, now);
    boolean mayFreePlace =
        queue != null
            && queue.limits().hasConcurrency()
            && operations.stream().anyMatch(Applying::endsLease);
    return mayFreePlace
        ? new Applied(applied.outcomes(), applied.earliest().min(Earliest.waiting(now.millis())))
        : applied;
  }

  private static boolean endsLease(Operation operation) {
    return operation instanceof Operation.Settlement && !(operation instanceof Operation.Extend);
  }

  private Applied applyFitting(
      Connection connection, @Nullable QueueRow queue, List<Operation> operations, EngineTime now)
      throws SQLException {
    List<Operation> fitting = operations.stream().filter(size::fits).toList();
    if (fitting.size() == operations.size()) {
      return applyAll(connection, queue, operations, now);
    }
    Applied applied = applyAll(connection, queue, fitting, now);
    Iterator<Outcome> rest = applied.outcomes().iterator();
    List<Outcome> outcomes =
        operations.stream().map(one -> size.fits(one) ? rest.next() : size.tooLarge(one)).toList();
    return new Applied(outcomes, applied.earliest());
  }

  private Applied applyAll(
      Connection connection, @Nullable QueueRow queue, List<Operation> operations, EngineTime now)
      throws SQLException {
    boolean mayWait = joins || dialect.boundsLockWaits();
    if (queue != null && mayWait && hasDistinctIds(operations)) {
      if (dialect.insertsAbsent() && operations.stream().allMatch(this::isAdding)) {
        return add(connection, queue, operations, now);
      }
      if (dialect.returnsIds() && operations.stream().allMatch(Applying::isPlainAck)) {
        Applied acked = ack(connection, queue, operations);
        if (acked != null) {
          return acked;
        }
      }
    }
    return general(connection, queue, operations, now);
  }

  private static boolean isPlainAck(Operation operation) {
    return operation instanceof Operation.Ack && !FinishedIdCleanup.isRemembering(operation);
  }

  private static boolean hasDistinctIds(List<Operation> operations) {
    Set<String> ids = new HashSet<>();
    return operations.stream().allMatch(operation -> ids.add(operation.id()));
  }

  /**
   * Returns whether an operation may be executed by an INSERT before its row is locked. In a
   * transaction at REPEATABLE READ on MariaDB or MySQL every schedule must be executed in this way,
   * because a lock on an absent id would also keep other transactions from inserting ids next to
   * it.
   */
  private boolean isAdding(Operation operation) {
    return operation instanceof Operation.Schedule schedule
        && ((joins && dialect.locksGaps())
            || schedule.ifPresent() == IfPresent.KEEP
            || schedule.ifPresent() == IfPresent.REJECT);
  }

  /**
   * Inserts the absent messages first. Then locks the messages that existed, and applies their
   * operations.
   */
  private Applied add(
      Connection connection, QueueRow queue, List<Operation> operations, EngineTime now)
      throws SQLException {
    List<Row> rows =
        operations.stream()
            .sorted((a, b) -> a.id().compareTo(b.id()))
            .map(operation -> newRow((Operation.Schedule) operation, now))
            .toList();
    Set<String> inserted = inserts.insertAbsent(connection, queue.id(), rows);
    List<Operation> present =
        operations.stream().filter(operation -> !inserted.contains(operation.id())).toList();
    Applied rest = general(connection, queue, present, now);
    Map<String, Outcome> outcomes = new HashMap<>();
    for (int i = 0; i < present.size(); i++) {
      outcomes.put(present.get(i).id(), rest.outcomes().get(i));
    }
    Earliest earliest = rest.earliest();
    for (Row row : rows) {
      if (inserted.contains(row.id)) {
        outcomes.put(row.id, new Outcome.OfSchedule(ScheduleOutcome.STORED, row.time, null));
        earliest = earliest.min(Earliest.waiting(row.time));
      }
    }
    return new Applied(inOrder(operations, outcomes), earliest);
  }

  private static List<Outcome> inOrder(List<Operation> operations, Map<String, Outcome> outcomes) {
    List<Outcome> ordered = new ArrayList<>(operations.size());
    for (Operation operation : operations) {
      Outcome outcome = outcomes.get(operation.id());
      if (outcome == null) {
        throw new IllegalStateException("No outcome of an operation");
      }
      ordered.add(outcome);
    }
    return ordered;
  }

  private static Row newRow(Operation.Schedule schedule, EngineTime now) {
    Row row = new Row(schedule.id());
    row.content = RowTable.encoded(schedule, now);
    row.restart(schedule.due().atMillis(now.micros()));
    return row;
  }

  /**
   * Executes acks by a DELETE for each token. Returns null without effect if the acks have more
   * than {@link #FEW_TOKENS} different tokens.
   */
  private @Nullable Applied ack(Connection connection, QueueRow queue, List<Operation> operations)
      throws SQLException {
    // In the order of the tokens, because other calls lock the messages in the same order.
    Map<Long, List<String>> idsByToken = new TreeMap<>();
    for (Operation operation : operations) {
      long token = ((Operation.Ack) operation).token();
      idsByToken.computeIfAbsent(token, unused -> new ArrayList<>()).add(operation.id());
    }
    if (idsByToken.size() > FEW_TOKENS) {
      return null;
    }
    Set<String> deleted = new HashSet<>();
    for (Map.Entry<Long, List<String>> one : idsByToken.entrySet()) {
      deleted.addAll(messages.deleteLeased(connection, queue.id(), one.getKey(), one.getValue()));
    }
    List<Outcome> outcomes = new ArrayList<>(operations.size());
    for (Operation operation : operations) {
      outcomes.add(
          new Outcome.OfSettlement(
              deleted.contains(operation.id()) ? SettleOutcome.DONE : SettleOutcome.LEASE_LOST));
    }
    return new Applied(outcomes, Earliest.NONE);
  }

  private Applied general(
      Connection connection, @Nullable QueueRow queue, List<Operation> operations, EngineTime now)
      throws SQLException {
    RowTable table = new RowTable(now);
    Set<String> ids = new LinkedHashSet<>();
    operations.forEach(operation -> ids.add(operation.id()));
    if (queue != null && !ids.isEmpty()) {
      String lock = joins ? " FOR UPDATE" : dialect.lockMessages();
      messages.lock(connection, queue.id(), ids, lock).forEach(table::load);
    }
    PartitionRules<Operation> rules = new PartitionRules<>(table);
    List<Outcome> outcomes = new ArrayList<>(operations.size());
    for (Operation operation : operations) {
      outcomes.add(rules.apply(operation, operation, now));
    }
    if (queue != null) {
      messages.write(connection, queue.id(), table.rows());
    }
    return new Applied(outcomes, earliest(table.rows(), now));
  }

  /**
   * Returns the earliest time of the waiting and leased rows that have changed, or that can be
   * claimed now: claims may have skipped an unchanged row while it was locked.
   */
  private static Earliest earliest(List<Row> rows, EngineTime now) {
    return rows.stream()
        .filter(row -> row.changed || row.time <= now.millis())
        .map(Earliest::of)
        .reduce(Earliest.NONE, Earliest::min);
  }
}
