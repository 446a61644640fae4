package io.punctual.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.TestEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConsumersTest {
  private final Environment env = TestEnvironment.of(new StepTimer());
  private final List<QueuePartitions> notices = new ArrayList<>();

  private final class Member implements Consumers.Member {
    private final boolean fails;

    Member(boolean fails) {
      this.fails = fails;
    }

    @Override
    public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void corrected(QueuePartitions partitions) {
      if (fails) {
        throw new IllegalStateException("injected");
      }
      notices.add(partitions);
    }
  }

  @Test
  void corrected_memberThrows_othersAreNotified() {
    Consumers.WorkerWatch watch =
        new Consumers.WorkerWatch() {
          @Override
          public void started(Announced worker) {}

          @Override
          public void ended(Announced worker) {}
        };
    Consumers consumers = new Consumers(watch, new Isolation(env));
    consumers.add(new Member(true));
    consumers.add(new Member(false));
    QueuePartitions partitions = new QueuePartitions("q", env);

    consumers.corrected(partitions);

    assertThat(notices).containsExactly(partitions);
  }
}
