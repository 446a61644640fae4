package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.OutcomeUnknownException;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests errors, such as a lack of memory, in the middle of a session's steps. */
class PartitionSessionErrorTest extends PartitionSessionFixture {
  private static final long RECOVERY_MILLIS = 200;

  private static final class Broken implements OperationCallback {
    @Override
    public boolean isWithdrawn() {
      throw new OutOfMemoryError("injected");
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {}

    @Override
    public void failed(RuntimeException failure) {}
  }

  @Test
  void submit_error_theSessionRecoversByItself() {
    Result sent = submit(schedule("sent"));
    assertThatThrownBy(() -> session.submit(schedule("b"), null, new Broken()))
        .isInstanceOf(OutOfMemoryError.class);
    timer.advanceMillis(RECOVERY_MILLIS);
    assertThat(sent.failure).isInstanceOf(OutcomeUnknownException.class);
    submit(schedule("c"));
    assertThat(partition.calls.getLast().ids()).containsExactly("c");
  }

  @Test
  void moveTo_errors_noOperationIsLostOrDoubled() {
    partition.openFailure = new Partition.PartitionCountException(1, null);
    List<Result> results =
        List.of(submit(schedule("a")), submit(new Operation.Ack("b", 1)), submit(schedule("c")));
    ScriptedPartition successor = new ScriptedPartition();
    PartitionSession there =
        new PartitionSession(
            successor, successor, env, new StoreHealth("test:", env), "next", () -> {});
    AtomicInteger errors = new AtomicInteger();
    CompletableFuture<?> moved =
        session.moveTo(
            id -> {
              if (errors.getAndIncrement() % 2 == 1) {
                throw new OutOfMemoryError("injected");
              }
              return there;
            },
            new Partition.PartitionCountException(1, null));
    timer.advanceMillis(3 * RECOVERY_MILLIS);
    assertThat(errors).hasValueGreaterThan(3);
    successor.next().answer().complete(applied(STORED));
    successor.next().answer().complete(applied(DONE));
    successor.next().answer().complete(applied(STORED));
    assertThat(successor.calls).isEmpty();
    assertThat(results).extracting(each -> each.outcome).containsExactly(STORED, DONE, STORED);
    assertThat(moved).isDone();
  }
}
