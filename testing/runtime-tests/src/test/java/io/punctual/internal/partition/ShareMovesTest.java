package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests moves of shares that an error interrupts. */
final class ShareMovesTest {
  private final StepTimer steps = new StepTimer();
  private boolean fails;
  private final List<CompletableFuture<Optional<LimitUse>>> asked = new ArrayList<>();

  private final Environment env =
      TestEnvironment.of(
          new DueTimer() {
            @Override
            public long nanoTime() {
              return steps.nanoTime();
            }

            @Override
            public Timeout schedule(long delayNanos, Runnable task) {
              if (fails) {
                throw new InternalError("a planned lack of memory");
              }
              return steps.schedule(delayNanos, task);
            }
          });

  private PartitionClient client() {
    Partition partition =
        (Partition)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Partition.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("limitUse")) {
                    asked.add(new CompletableFuture<>());
                    return asked.get(asked.size() - 1);
                  }
                  return method.getReturnType() == boolean.class ? false : null;
                });
    StoreHealth health = new StoreHealth("test:", env);
    return new PartitionClient(
        partition,
        each -> new PartitionSession(partition, each, env, health, "client", () -> {}),
        new SafetyCheck(MemoryStore.builder().build(), env));
  }

  @Test
  void claimWasShort_errorWhileARunBegins_laterClaimsBeginTheNextRun() {
    ShareMoves moves = new ShareMoves("q", env);
    List<PartitionClient> clients = List.of(client(), client());
    fails = true;
    moves.claimWasShort(clients);
    assertThat(asked).hasSize(2);
    fails = false;
    asked.forEach(each -> each.complete(Optional.empty()));
    steps.advanceMillis(10_000);

    moves.claimWasShort(clients);
    assertThat(asked).hasSize(4);
  }
}
