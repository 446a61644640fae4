package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.runtime.Backlog;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationQueueTest {
  private final OperationQueue queue = new OperationQueue(new Backlog(1 << 20));
  private final List<Pending.OfOperation> removed = new ArrayList<>();

  /**
   * The callback of an operation that its caller withdraws on a different thread, directly after
   * the queue has first checked the operation.
   */
  private static final class WithdrawnAfterTheFirstLook implements OperationCallback {
    private int looks;

    @Override
    public boolean isWithdrawn() {
      return looks++ > 0;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {}

    @Override
    public void failed(RuntimeException reason) {}
  }

  @Test
  void removeWithdrawn_anotherThreadWithdrawsMeanwhile_removesNothingWithoutItsCallback() {
    Pending.OfOperation operation =
        new Pending.OfOperation(
            new Operation.Cancel("a"), null, new WithdrawnAfterTheFirstLook(), Long.MAX_VALUE);
    queue.add(operation);
    queue.removeWithdrawn(removed::add);
    assertThat(removed).isEmpty();
    assertThat(queue.size()).isEqualTo(1);
    queue.removeWithdrawn(removed::add);
    assertThat(removed).containsExactly(operation);
    assertThat(queue.isEmpty()).isTrue();
  }
}
