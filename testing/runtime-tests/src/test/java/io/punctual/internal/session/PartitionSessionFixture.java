package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A session with a {@link ScriptedPartition}, to which the test gives the replies. */
abstract class PartitionSessionFixture {
  static final Outcome.OfSchedule STORED = new Outcome.OfSchedule(ScheduleOutcome.STORED, 5, null);
  static final Outcome.OfSettlement DONE = new Outcome.OfSettlement(SettleOutcome.DONE);

  final ScriptedPartition partition = new ScriptedPartition();
  final StepTimer timer = new StepTimer();
  final Environment env = TestEnvironment.of(timer);
  final PartitionSession session =
      new PartitionSession(
          partition, partition, env, new StoreHealth("test:", env), "client", () -> {});

  static final class Result implements OperationCallback {
    @Nullable Outcome outcome;
    @Nullable RuntimeException failure;
    long firstSentNanos;

    @Override
    public void completed(Outcome told, long firstSent) {
      assertThat(outcome).isNull();
      assertThat(failure).isNull();
      outcome = told;
      firstSentNanos = firstSent;
    }

    @Override
    public void failed(RuntimeException told) {
      assertThat(outcome).isNull();
      assertThat(failure).isNull();
      failure = told;
    }
  }

  static final class ClaimResult implements ClaimCallback {
    Reply.@Nullable Claimed claimed;
    @Nullable RuntimeException failure;
    long firstSentNanos;

    @Override
    public void claimed(Reply.Claimed told, long firstSent) {
      claimed = told;
      firstSentNanos = firstSent;
    }

    @Override
    public void failed(RuntimeException reason) {
      failure = reason;
    }
  }

  static Operation schedule(String id) {
    return new Operation.Schedule(
        id, DueTime.of(Due.now()), IfPresent.KEEP, Content.of(new byte[0]));
  }

  final Result submit(Operation operation) {
    Result told = new Result();
    session.submit(operation, null, told);
    return told;
  }

  static Reply applied(Outcome... outcomes) {
    return new Reply.Applied(List.of(outcomes), 1, null);
  }

  static void unknown(ScriptedPartition.Pending pending) {
    pending.answer().completeExceptionally(new IOException("connection lost"));
  }

  final Result ack(String id) {
    Result told = new Result();
    session.submitDeferrable(List.of(new Operation.Ack(id, 1)), null, List.of(told));
    return told;
  }

  static Reply waiting(CompletableFuture<@Nullable String> confirmation, Outcome... done) {
    return new Reply.Applied(List.of(done), 1, confirmation);
  }

  final boolean nextIsAClaim() {
    return partition.calls.getLast().call().body() instanceof Call.Claim;
  }

  final ScriptedPartition.Pending firstOfMany(boolean claim) {
    ScriptedPartition.Pending first =
        partition.calls.stream()
            .filter(call -> call.call().body() instanceof Call.Claim == claim)
            .findFirst()
            .orElseThrow();
    partition.calls.remove(first);
    return first;
  }

  static Reply noMessages() {
    return new Reply.Claimed(List.of(), List.of(), 1, 1, Long.MAX_VALUE);
  }

  final OutcomeCallback<Outcome> submitted(Operation operation) {
    OutcomeCallback<Outcome> ticket = new OutcomeCallback<>(outcome -> outcome);
    session.submit(operation, null, ticket);
    return ticket;
  }

  final void withdraw(OutcomeCallback<?> ticket) {
    ticket.withdraw();
    session.endWithdrawn();
  }
}
