package io.punctual.spring.boot.test;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.Transaction;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Applies the changes of transactions to a partition in memory after their commits. The outcomes
 * are those that the changes have if no one else changes the messages before the commit.
 * Thread-safe.
 */
final class TransactionalChanges {
  private final Partition memory;

  TransactionalChanges(Partition memory) {
    this.memory = memory;
  }

  /** Applies the operations after the commit; returns their expected outcomes. */
  List<Outcome> join(Transaction transaction, List<Operation> operations) {
    List<Outcome> outcomes = operations.stream().map(this::expected).toList();
    transaction.afterCommit(() -> apply(operations));
    return outcomes;
  }

  private void apply(List<Operation> operations) {
    String session = "transaction-" + UUID.randomUUID();
    memory.openSession(session, null).toCompletableFuture().join();
    Object unused =
        memory
            .call(new Call(session, 1, 1, new Call.Apply(operations, null)))
            .toCompletableFuture()
            .join();
    memory.closeSession(session).toCompletableFuture().join();
  }

  private Outcome expected(Operation operation) {
    Optional<Entry> entry = memory.find(operation.id()).toCompletableFuture().join();
    State state = entry.map(Entry::state).orElse(null);
    if (operation instanceof Operation.Schedule schedule) {
      long dueMillis = entry.map(Entry::dueMillis).orElse(0L);
      return new Outcome.OfSchedule(schedule(schedule.ifPresent(), state), dueMillis, state);
    }
    if (operation instanceof Operation.Cancel) {
      return new Outcome.OfCancel(cancel(state));
    }
    if (operation instanceof Operation.Settlement) {
      return new Outcome.OfSettlement(
          state == State.LEASED ? SettleOutcome.DONE : SettleOutcome.LEASE_LOST);
    }
    return new Outcome.OfReschedule(reschedule(state));
  }

  private static ScheduleOutcome schedule(IfPresent ifPresent, @Nullable State state) {
    if (state == null) {
      return ScheduleOutcome.STORED;
    }
    return switch (ifPresent) {
      case KEEP -> ScheduleOutcome.KEPT;
      case REJECT -> ScheduleOutcome.REJECTED;
      default -> ScheduleOutcome.REPLACED;
    };
  }

  private static CancelOutcome cancel(@Nullable State state) {
    if (state == null || state == State.FINISHED) {
      return CancelOutcome.NOT_FOUND;
    }
    return switch (state) {
      case LEASED -> CancelOutcome.RUNNING;
      case DEAD -> CancelOutcome.DEAD;
      default -> CancelOutcome.CANCELLED;
    };
  }

  private static RescheduleOutcome reschedule(@Nullable State state) {
    if (state == null || state == State.FINISHED) {
      return RescheduleOutcome.NOT_FOUND;
    }
    return switch (state) {
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
      default -> RescheduleOutcome.RESCHEDULED;
    };
  }
}
