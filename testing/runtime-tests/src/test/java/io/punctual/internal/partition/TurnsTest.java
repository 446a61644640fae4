package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.OutcomeUnknownException;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final QueuePartitions partitions =
      new QueuePartitions("q", TestEnvironment.of(new StepTimer()));
  private final Turns turns = partitions.turns();

  private PendingChange<Outcome> change() {
    return new PendingChange<>(
        partitions, new Operation.Cancel("a"), new OutcomeCallback<>(outcome -> outcome));
  }

  @Test
  void take_errorInATurn_failsItsChangesAndTheNextTurnBegins() {
    CompletableFuture<Void> first = new CompletableFuture<>();
    PendingChange<Outcome> failing = change();
    CompletableFuture<Void> next = new CompletableFuture<>();
    turns.take(List.of(change()), () -> first);
    turns.follow(
        List.of(failing),
        () -> {
          throw new OutOfMemoryError("injected");
        });
    turns.follow(List.of(change()), () -> next.complete(null));
    assertThat(failing.answer()).isNotDone();
    first.complete(null);
    assertThat(failing.answer()).isDone();
    assertThat(StoreFailures.failure(failing.answer()))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("met an error");
    assertThat(next).isCompleted();
  }
}
