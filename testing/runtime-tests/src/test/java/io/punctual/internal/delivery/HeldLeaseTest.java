package io.punctual.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.SettleOutcome;
import io.punctual.Transaction;
import io.punctual.event.Event;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HeldLeaseTest {
  private final Environment env = TestEnvironment.of(new StepTimer());
  private final ScriptedPartition partition = new ScriptedPartition();
  private final PartitionSession session =
      new PartitionSession(
          partition, partition, env, new StoreHealth("test:", env), "client", () -> {});
  private final HeldLease held =
      new HeldLease(
          TestSettling.context(env),
          "a",
          1,
          new ClaimLease(session, 1, 1, 0, new LeaseEnd(10_000_000_000L, 0)));

  @Test
  void settleIn_theStoreThrowsAnError_canBeSettledAgain() {
    Transaction transaction =
        (Transaction)
            Proxy.newProxyInstance(
                Transaction.class.getClassLoader(),
                new Class<?>[] {Transaction.class},
                (proxy, method, arguments) -> null);
    Operation.Settlement ack = new Operation.Ack("a", 1);
    partition.callError = new OutOfMemoryError("injected");
    assertThatThrownBy(() -> held.settleIn(transaction, ack, () -> acked()))
        .isInstanceOf(OutOfMemoryError.class);
    partition.callError = null;
    CompletableFuture<SettleOutcome> settled = held.settle(ack, () -> acked());
    partition
        .next()
        .answer()
        .complete(
            new Reply.Applied(List.of(new Outcome.OfSettlement(SettleOutcome.DONE)), 1, null));
    assertThat(settled).isCompletedWithValue(SettleOutcome.DONE);
  }

  private static Event acked() {
    return new Event.MessageAcked("q", "a", 1);
  }
}
