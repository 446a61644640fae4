package io.punctual.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.HeldLease;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.delivery.TestSettling;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class CommitProbeTest {
  private static final long LEASE_MILLIS = 10_000;

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
          new ClaimLease(session, 1, 1, 0, new LeaseEnd(LEASE_MILLIS * 1_000_000, 0)));
  private int rollbacks;
  private int ends;

  private final class Ends implements CommitProbe.Listener {
    @Override
    public void rolledBack() {
      rollbacks++;
      throw new OutOfMemoryError("injected");
    }

    @Override
    public void ended() {
      ends++;
    }

    @Override
    public boolean isStopped() {
      return false;
    }
  }

  private void rollBack(Executor executor) {
    new CommitProbe(env, held, LEASE_MILLIS, executor, new Ends()).start();
    partition
        .next()
        .answer()
        .complete(
            new Reply.Applied(List.of(new Outcome.OfSettlement(SettleOutcome.DONE)), 1, null));
  }

  @Test
  void rolledBack_executorThrowsAnError_endsOnce() {
    rollBack(
        task -> {
          throw new OutOfMemoryError("injected");
        });
    assertThat(rollbacks).isZero();
    assertThat(ends).isOne();
  }

  @Test
  void rolledBack_listenerThrowsAnError_endsOnce() {
    rollBack(Runnable::run);
    assertThat(rollbacks).isOne();
    assertThat(ends).isOne();
  }
}
