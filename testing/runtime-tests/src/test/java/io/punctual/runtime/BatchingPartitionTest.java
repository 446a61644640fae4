package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests claims and operations that linger to share a call, on partitions where a call's cost hardly
 * depends on its size.
 */
class BatchingPartitionTest {
  private static final Duration HALF_A_MILLISECOND = Duration.ofNanos(500_000);

  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Punctual punctual = Punctual.builder().store(batching(memory)).timer(clock).build();
  private final TimedQueue<String> queue = punctual.queue("orders", Codec.string());
  private final List<CompletableFuture<Void>> running = new ArrayList<>();

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  private static Store batching(Store store) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(partitions -> batching((List<?>) partitions))
              : result;
        });
  }

  private static List<Partition> batching(List<?> partitions) {
    return partitions.stream().map(partition -> batching((Partition) partition)).toList();
  }

  private static Partition batching(Partition partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) ->
            method.getName().equals("prefersBatching") ? true : method.invoke(partition, args));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private Worker workOn(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.schedule(Message.of("m" + i).id("m" + i));
    }
    return queue.workStages(
        ManualWorld.inline().concurrency(4).build(),
        delivery -> {
          running.add(new CompletableFuture<>());
          return running.get(running.size() - 1);
        });
  }

  private void end(int handler) {
    running.get(handler).complete(null);
  }

  @Test
  void work_behindAndFewHandlersFree_claimsAgainHalfAMillisecondLater() {
    workOn(10);
    assertThat(running).hasSize(4);
    end(0);
    assertThat(running).hasSize(4);
    clock.advance(HALF_A_MILLISECOND);
    assertThat(running).hasSize(5);
    end(1);
    clock.advance(HALF_A_MILLISECOND);
    assertThat(running).hasSize(6);
  }

  @Test
  void work_behindAndHalfOfTheHandlersFree_claimsAgainAtOnce() {
    workOn(10);
    end(0);
    end(1);
    assertThat(running).hasSize(6);
  }

  @Test
  void work_nothingElseWasDue_whatComesIsClaimedAtOnce() {
    workOn(3);
    assertThat(running).hasSize(3);
    queue.schedule(Message.of("now"));
    assertThat(running).hasSize(4);
  }

  @Test
  void work_handlerEnds_itsAckLingersForAMillisecond() {
    workOn(1);
    end(0);
    assertThat(queue.find("m0")).isPresent();
    clock.advance(Duration.ofMillis(1));
    assertThat(queue.find("m0")).isEmpty();
  }

  @Test
  void close_acksLinger_theyLeaveAtOnce() {
    Worker worker = workOn(1);
    end(0);
    worker.close();
    assertThat(queue.find("m0")).isEmpty();
  }

  @Test
  void close_handlerEndsMeanwhile_itsAckLeavesAtOnce() {
    Worker worker = workOn(1);
    Thread closer = new Thread(worker::close);
    closer.start();
    await().until(() -> closer.getState() == Thread.State.WAITING);
    end(0);
    await().until(() -> !closer.isAlive());
    assertThat(queue.find("m0")).isEmpty();
  }
}
