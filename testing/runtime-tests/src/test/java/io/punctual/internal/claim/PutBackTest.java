package io.punctual.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.delivery.TestSettling;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.spi.Content;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PutBackTest {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final StepTimer timer = new StepTimer();

  /** A timer that can't schedule the next try to put a message back. */
  private final DueTimer failing =
      new DueTimer() {
        @Override
        public long nanoTime() {
          return timer.nanoTime();
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable task) {
          if (delayNanos == RETRY_NANOS) {
            throw new OutOfMemoryError("injected");
          }
          return timer.schedule(delayNanos, task);
        }
      };

  private final Environment env = TestEnvironment.of(failing);
  private final ScriptedPartition partition = new ScriptedPartition();
  private final PartitionSession session =
      new PartitionSession(
          partition, partition, env, new StoreHealth("test:", env), "client", () -> {});
  private final PutBack putBack = new PutBack(TestSettling.context(env));

  @Test
  void all_timerThrowsAnError_ends() {
    partition.openFailure = new Partition.NotSentException("away", null);
    CompletableFuture<?> end =
        putBack.all(
            List.of(new Reply.Leased("a", Content.of(new byte[0]), 1, 1, new byte[0])), session);
    timer.advanceMillis(59_000);
    assertThat(end).isNotDone();
    timer.advanceMillis(1_000);
    assertThat(end).isDone();
  }
}
